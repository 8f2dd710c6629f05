"""Calls the service with a client from openapi-python-client."""

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
from receptionist_client.api.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhooks,
    update_webhook,
)
from receptionist_client.models import (
    AppointmentStatus,
    BookWithContact,
    BookWithContactId,
    BusinessPatch,
    ContactBody,
    ErrorCode,
    EventType,
    RescheduleBody,
    WebhookBody,
    WebhookPatch,
    WebhookStatus,
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

what = {"service_id": service.id, "starts_at": first.starts_at}
body = BookWithContact(**what, contact=ContactBody(name="Ada", phone="+33612345680"))
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

known = BookWithContactId(**what, contact_id=appointment.contact_id)
assert book_appointment.sync(client=client, body=known).data.contact_id == appointment.contact_id

body = WebhookBody(url="https://93.184.216.34/book", events=[EventType.CALL_COMPLETED])
made = create_webhook.sync(client=client, body=body).data
assert made.secret.startswith("whsec_"), made
assert get_webhook.sync(made.id, client=client).data.url == made.url
off = update_webhook.sync(made.id, client=client, body=WebhookPatch(status=WebhookStatus.DISABLED)).data
assert off.status == WebhookStatus.DISABLED, off
assert made.id in [webhook.id for webhook in list_webhooks.sync(client=client).data]
delete_webhook.sync_detailed(made.id, client=client)
assert get_webhook.sync_detailed(made.id, client=client).status_code == 404
print("booked, moved and cancelled", appointment.id, "and made and deleted the endpoint", made.id)
