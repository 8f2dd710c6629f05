# Messages, calls, contacts and knowledge.
