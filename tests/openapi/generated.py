"""Calls the service with a Python client from OpenAPI Generator."""

import datetime
import os

from openapi_client import (
    ApiClient,
    AppointmentsApi,
    AvailabilityApi,
    BookBody,
    BookWithContact,
    BookWithContactId,
    Configuration,
    ContactBody,
    RescheduleBody,
    ServicesApi,
    WebhookBody,
    WebhookPatch,
    WebhooksApi,
)
from openapi_client.exceptions import ConflictException, NotFoundException

client = ApiClient(Configuration(host=os.environ["BASE"], access_token=os.environ["KEY"]))
appointments, webhooks = AppointmentsApi(client), WebhooksApi(client)

service = ServicesApi(client).list_services().data[0]
day = datetime.date.today() + datetime.timedelta(days=2)
slots = AvailabilityApi(client).list_availability(service.id, day, end_date=day + datetime.timedelta(days=5)).data
first, last = slots[0], slots[-1]

what = {"service_id": service.id, "starts_at": first.starts_at}
body = BookBody(BookWithContact(**what, contact=ContactBody(name="Linus", phone="+33612345683")))
booked = appointments.book_appointment(body, idempotency_key="generated-python").data
again = appointments.book_appointment(body, idempotency_key="generated-python").data
assert booked.id == again.id and booked.contact_name == "Linus", (booked, again)
moved = appointments.reschedule_appointment(booked.id, RescheduleBody(starts_at=last.starts_at)).data
assert moved.starts_at == last.starts_at, moved
assert appointments.cancel_appointment(booked.id).data.status == "cancelled"
known = BookBody(BookWithContactId(**what, contact_id=booked.contact_id, staff_id=booked.staff_id))
assert appointments.book_appointment(known).data.contact_id == booked.contact_id
try:
    raise AssertionError(appointments.book_appointment(known))
except ConflictException:
    pass

made = webhooks.create_webhook(WebhookBody(url="https://93.184.216.34/python", events=["call.completed"])).data
assert made.secret.startswith("whsec_"), made
assert webhooks.get_webhook(made.id).data.url == made.url
assert webhooks.update_webhook(made.id, WebhookPatch(status="disabled")).data.status == "disabled"
assert made.id in [webhook.id for webhook in webhooks.list_webhooks().data]
webhooks.delete_webhook(made.id)
try:
    raise AssertionError(webhooks.get_webhook(made.id))
except NotFoundException:
    pass
print("booked, moved and cancelled", booked.id, "and made and deleted the endpoint", made.id)
