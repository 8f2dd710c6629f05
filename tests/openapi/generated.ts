// Calls the service with a client from OpenAPI Generator. `adapter` covers the differences between its
// generators.
import { AppointmentsApi, AvailabilityApi, type BookBody, Configuration, ServicesApi, WebhooksApi } from "./client";
import { body, day } from "./adapter";

declare const process: { env: Record<string, string> };

function assert(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

async function status(call: Promise<unknown>): Promise<number | undefined> {
  return call.then(() => undefined, (error) => error.response?.status);
}

async function main() {
  const configuration = new Configuration({ basePath: process.env.BASE, accessToken: process.env.KEY });
  const appointments = new AppointmentsApi(configuration);
  const webhooks = new WebhooksApi(configuration);

  const [service] = body(await new ServicesApi(configuration).listServices()).data;
  const inDays = (days: number) => day(new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  const range = { serviceId: service.id, startDate: inDays(2), endDate: inDays(7) };
  const slots = body(await new AvailabilityApi(configuration).listAvailability(range)).data;
  const [first, last] = [slots[0], slots[slots.length - 1]];

  const idempotencyKey = crypto.randomUUID();
  const what = { service_id: service.id, starts_at: first.starts_at };
  const bookBody: BookBody = { ...what, contact: { name: "Grace", phone: "+33612345681" } };
  const booked = body(await appointments.bookAppointment({ bookBody, idempotencyKey })).data;
  const again = body(await appointments.bookAppointment({ bookBody, idempotencyKey })).data;
  assert(booked.id === again.id && booked.contact_name === "Grace", [booked, again]);
  const appointmentId = booked.id;
  const moved = body(
    await appointments.rescheduleAppointment({ appointmentId, rescheduleBody: { starts_at: last.starts_at } }),
  ).data;
  assert(+new Date(moved.starts_at) === +new Date(last.starts_at), moved);
  assert(body(await appointments.cancelAppointment({ appointmentId })).data.status === "cancelled", appointmentId);
  const known: BookBody = { ...what, contact_id: booked.contact_id!, staff_id: booked.staff_id };
  const second = body(await appointments.bookAppointment({ bookBody: known })).data;
  assert(second.contact_id === booked.contact_id, second);
  assert((await status(appointments.bookAppointment({ bookBody: known }))) === 409, "booked twice");

  const webhookBody = { url: "https://93.184.216.34/generated", events: new Set(["call.completed" as const]) };
  const made = body(await webhooks.createWebhook({ webhookBody })).data;
  const webhookId = made.id;
  assert(made.secret!.startsWith("whsec_"), made);
  assert(body(await webhooks.getWebhook({ webhookId })).data.url === webhookBody.url, made);
  const off = body(await webhooks.updateWebhook({ webhookId, webhookPatch: { status: "disabled" } })).data;
  assert(off.status === "disabled", off);
  assert(body(await webhooks.listWebhooks()).data.some((webhook) => webhook.id === webhookId), "not listed");
  await webhooks.deleteWebhook({ webhookId });
  assert((await status(webhooks.getWebhook({ webhookId }))) === 404, "not deleted");
  console.log("booked, moved and cancelled", appointmentId, "and made and deleted the endpoint", webhookId);
}

main().catch((error) => {
  throw error;
});

const some = { service_id: "", starts_at: day("") };
// @ts-expect-error A booking needs a contact.
export const neither: BookBody = { ...some };
// @ts-expect-error There is no such property.
export const misspelt: BookBody = { ...some, contact_id: "", staff: "" };
