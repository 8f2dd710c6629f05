# The frame, and texts that many pages share.

calendar = Calendar
messages = Messages
calls = Calls
contacts = Contacts
knowledge = Knowledge
insights = Insights
settings = Settings
settings-business = Business
settings-hours = Hours
settings-services = Services
settings-staff = Staff
settings-website = Booking page
settings-notices = Notices to { customers }
settings-people = People
settings-notifications = Notifications
settings-calendars = Calendars
settings-keys = API keys
settings-webhooks = Webhooks
settings-mail = Email log
settings-audit = Audit log
settings-data = Data
dock-today = Today
to-do = to do
shortcuts = Shortcuts
where-you-are = Breadcrumbs
pages-of-list = Pages of this list
to-newest = Newest
to-older = Older
optional = optional
versions-mine = Your version
versions-theirs = Saved version
versions-text = Another person has changed these values since you opened the page. Your version is not saved yet. Compare the two versions, correct the form below and save again.
refused-form = Nothing is saved yet: correct the marked fields.
title-problem = Problem:
nothing-there = –
copy = Copy
copied = Copied
undo = Undo
cancel-form = Cancel
edit = Edit
add = Add
delete = Delete
search = Search
find-label = Search contacts, appointments, calls and messages
find-sub = Contacts, appointments, calls and messages by name, phone number or email.
find-appointments = Appointments
find-nothing = Nothing found for “{ $text }”.
all = All
yes = Yes
no = No

# The actors of changes.
who-operator = The operator of the service
who-customer = { Customer }, online
who-receptionist = Receptionist
who-service = The service itself
who-gone = A person whose account no longer exists
who-nameless = A member of the team
who-key = An integration
who-key-named = The key “{ $name }”

# The word for the people who book, which the business chooses.
customer = { $customer ->
    [patient] patient
    [guest] guest
   *[other] client
}
customers = { $customer ->
    [patient] patients
    [guest] guests
   *[other] clients
}
Customer = { $customer ->
    [patient] The patient
    [guest] The guest
   *[other] The client
}
Customers = { $customer ->
    [patient] Patients
    [guest] Guests
   *[other] Clients
}
customer-of = { $customer ->
    [patient] of the patient
    [guest] of the guest
   *[other] of the client
}

# The word alone, as a label.
customer-alone = { $customer ->
    [patient] Patient
    [guest] Guest
   *[other] Client
}
customers-alone = { $customer ->
    [patient] Patients
    [guest] Guests
   *[other] Clients
}

# The records that customers book. In French, their name depends on the word for customers.
services = services
a-service = a service
the-service = the service
this-service = this service
of-service = of the service
no-service = No service
