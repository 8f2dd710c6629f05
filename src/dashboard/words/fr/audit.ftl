# Le journal des modifications.

audit-sub = Qui a modifié quoi
audit-filter = Filtrer le journal
audit-by = Auteur
audit-did = Action
audit-to = Élément
audit-everybody = Tout le monde
audit-anything-done = Toutes
audit-anything = Tous
audit-none-title = Rien n’a encore été modifié
audit-none-text = Les modifications faites par les personnes, les clés et le service lui-même apparaissent ici.
audit-one-record = Toutes les modifications d’un seul élément :
audit-all-of-it = son historique
audit-what-changed = Ce qui a changé
audit-became = est devenu
