"""Books, moves and cancels an appointment with the generated client."""

import datetime
import os

from receptionist_client import AuthenticatedClient
from receptionist_client.api.appointments import (
    book_appointment,
    cancel_appointment,
    get_appointment,
    list_appointments,
    reschedule_appointment,
)
from receptionist_client.api.availability import list_availability
from receptionist_client.api.business import get_business, update_business
from receptionist_client.api.me import get_me
from receptionist_client.api.services import list_services
from receptionist_client.models import (
    AppointmentStatus,
    BookBody,
    BusinessPatch,
    ContactBody,
    ErrorCode,
    RescheduleBody,
)

client = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["KEY"])

me = get_me.sync(client=client).data
business = get_business.sync(client=client).data
assert me.business.id == business.id and business.hours, business
same = update_business.sync(client=client, body=BusinessPatch(hours=business.hours)).data
assert same.hours == business.hours, same

service = list_services.sync(client=client).data[0]
day = datetime.date.today() + datetime.timedelta(days=2)
slots = list_availability.sync(
    client=client, service_id=service.id, start_date=day, end_date=day + datetime.timedelta(days=5)
).data
first, last = slots[0], slots[-1]

body = BookBody(service_id=service.id, starts_at=first.starts_at, contact=ContactBody(name="Ada", phone="+33612345680"))
booked = book_appointment.sync_detailed(client=client, body=body, idempotency_key="book-1")
again = book_appointment.sync_detailed(client=client, body=body, idempotency_key="book-1")
assert booked.status_code == 201 and again.parsed.data.id == booked.parsed.data.id
assert again.headers["Idempotent-Replayed"] == "true"
appointment = booked.parsed.data

moved = reschedule_appointment.sync(
    appointment.id, client=client, body=RescheduleBody(starts_at=last.starts_at)
).data
assert moved.id == appointment.id and moved.starts_at == last.starts_at

cancelled = cancel_appointment.sync(appointment.id, client=client).data
assert cancelled.status == "cancelled"
assert get_appointment.sync(appointment.id, client=client).data.status == "cancelled"
assert any(a.id == appointment.id for a in list_appointments.sync(client=client, status=[AppointmentStatus.CANCELLED]).data)

refused = reschedule_appointment.sync_detailed(
    appointment.id, client=client, body=RescheduleBody(starts_at=first.starts_at)
)
assert refused.status_code == 409 and refused.parsed.error.code == ErrorCode.CONFLICT, refused
print("booked, moved and cancelled", appointment.id)
