# Ce qu’un établissement règle : profil, horaires, prestations, équipe, données.
