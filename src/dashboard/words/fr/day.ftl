# Le jour, l’agenda et les rendez-vous.
