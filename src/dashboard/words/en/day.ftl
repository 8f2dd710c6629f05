# Today, the calendar and appointments.
