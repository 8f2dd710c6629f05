// Calls the service with the types that openapi-typescript generates from the document, and checks the types
// of bodies.
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./openapi";
import type { components as operator } from "./operator";

declare const process: { env: Record<string, string> };

function assert(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

async function main() {
  const headers = { Authorization: `Bearer ${process.env.KEY}` };
  const api = createClient<paths>({ baseUrl: process.env.BASE, headers });

  const [service] = (await api.GET("/services")).data!.data;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const query = { service_id: service.id, start_date: inDays(2), end_date: inDays(7) };
  const slots = (await api.GET("/availability", { params: { query } })).data!.data;
  const [first, last] = [slots[0], slots[slots.length - 1]];

  const what = { service_id: service.id, starts_at: first.starts_at };
  const booking: Book = { ...what, contact: { name: "Mary", phone: "+33612345682" } };
  const once = { header: { "Idempotency-Key": crypto.randomUUID() } };
  const booked = (await api.POST("/appointments", { body: booking, params: once })).data!.data;
  const again = (await api.POST("/appointments", { body: booking, params: once })).data!.data;
  assert(booked.id === again.id && booked.contact_name === "Mary", [booked, again]);
  const path = { appointment_id: booked.id };
  const body = { starts_at: last.starts_at };
  const moved = await api.POST("/appointments/{appointment_id}/reschedule", { params: { path }, body });
  assert(moved.data!.data.starts_at === last.starts_at, moved);
  const cancelled = await api.POST("/appointments/{appointment_id}/cancel", { params: { path } });
  assert(cancelled.data!.data.status === "cancelled", cancelled);
  const known: Book = { ...what, contact_id: booked.contact_id!, staff_id: booked.staff_id };
  const second = (await api.POST("/appointments", { body: known })).data!.data;
  assert(second.contact_id === booked.contact_id, second);
  const refused = (await api.POST("/appointments", { body: known })).error!.error.code;
  assert(refused === "slot_unavailable", refused);

  const url = "https://93.184.216.34/types";
  const made = (await api.POST("/webhooks", { body: { url, events: ["call.completed"] } })).data!.data;
  assert(made.secret!.startsWith("whsec_"), made);
  const params = { path: { webhook_id: made.id } };
  assert((await api.GET("/webhooks/{webhook_id}", { params })).data!.data.url === url, made);
  const off = await api.PATCH("/webhooks/{webhook_id}", { params, body: { status: "disabled" } });
  assert(off.data!.data.status === "disabled", off);
  assert((await api.GET("/webhooks")).data!.data.some((webhook) => webhook.id === made.id), "not listed");
  await api.DELETE("/webhooks/{webhook_id}", { params });
  assert((await api.GET("/webhooks/{webhook_id}", { params })).response.status === 404, "not deleted");
  console.log("booked, moved and cancelled", booked.id, "and made and deleted the endpoint", made.id);
}

main().catch((error) => {
  throw error;
});

// Checks the types of request bodies: valid bodies must compile, and invalid bodies must not.
type Event = webhooks["appointment.booked"]["post"]["requestBody"]["content"]["application/json"];
export const contactOf = (event: Event): string | null => event.data.contact_id;

type Book = components["schemas"]["BookBody"];
type TeamBook = operator["schemas"]["TeamBookBody"];
const some = { service_id: "", starts_at: "" };
export const booked: (Book & TeamBook)[] = [{ ...some, contact: { phone: "" } }, { ...some, contact_id: "" }];
// @ts-expect-error A booking needs a contact.
export const neither: Book = { ...some };
// @ts-expect-error A booking by the team also needs a contact.
export const neitherOfTeam: TeamBook = { ...some, source: "dashboard" };
// @ts-expect-error There is no such property.
export const misspelt: Book = { ...some, contact_id: "", staff: "" };
// @ts-expect-error A contact has no such property.
export const misspeltWithin: Book = { ...some, contact: { fone: "" } };

type Day = operator["schemas"]["SpecialDayBody"];
const windows = [{ open: "09:00", close: "12:00" }];
export const days: Day[] = [{ closed: true }, { closed: true, windows: [] }, { windows }, { closed: false, windows }];
// @ts-expect-error A day is closed or has windows.
export const unsaid: Day = { note: "" };
// @ts-expect-error A day that is not closed has windows.
export const open: Day = { closed: false };
// @ts-expect-error A window has no such property.
export const window: Day = { windows: [{ opens: "09:00", close: "12:00" }] };

type Off = operator["schemas"]["TimeOffBody"];
export const offs: Off[] = [{ starts_at: "", ends_at: "" }, { from: "", to: "", note: "" }];
// @ts-expect-error Time off needs a start and an end.
export const half: Off = { from: "" };
// @ts-expect-error Start and end need the same form.
export const mixed: Off = { from: "", ends_at: "" };
