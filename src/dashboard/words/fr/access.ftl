# Clés, webhooks, accès, notifications, courriels et journal.
