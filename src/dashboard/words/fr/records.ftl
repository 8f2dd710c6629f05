# Messages, appels, contacts et connaissances.
