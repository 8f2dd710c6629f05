//! The path by menu and questions, without a model.
