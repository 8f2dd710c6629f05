// Each client carries out these actions over HTTP and over standard input and output: it lists the tools,
// finds times, books, repeats the booking, moves and cancels.
import assert from "node:assert/strict";

/** The date this many days from now, or the next date if that is a Sunday. */
function day(later) {
  const date = new Date(Date.now() + later * 86_400_000);
  if (date.getUTCDay() === 0) date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

export async function deal(client, name, later) {
  const call = async (tool, args) => {
    const result = await client.callTool({ name: tool, arguments: args });
    assert.equal(result.isError ?? false, false, `${tool}: ${result.content[0].text}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  };
  const { tools } = await client.listTools();
  assert.equal(tools.length, 16);
  const { resources } = await client.listResources();
  assert.equal(resources[0].uri, "receptionist://business");
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ["book_for_caller", "daily_briefing"]);
  const business = await call("get_business", {});
  const service = business.services[0].name;
  const staff = business.staff.find((member) => member.services.includes(service)).id;
  const open = await call("find_open_times", { service, staff, from: day(later) });
  const [first, second] = open.days[0].times;
  const at = (time) => `${open.days[0].date}T${time}`;
  const booking = { service, staff, starts_at: at(first), contact: { name, email: `${name}@example.com` } };
  const booked = await call("book_appointment", booking);
  assert.equal(booked.already_booked, false);
  const again = await call("book_appointment", booking);
  assert.deepEqual([again.already_booked, again.id], [true, booked.id]);
  const found = await call("find_contacts", { email: `${name}@example.com` });
  assert.equal(found.contacts[0].id, booked.contact_id);
  const moved = await call("reschedule_appointment", {
    appointment_id: booked.id, expected_starts_at: booked.starts_at, starts_at: at(second),
  });
  assert.equal(moved.local_start, at(second));
  const cancelled = await call("cancel_appointment", { appointment_id: booked.id, expected_starts_at: at(second) });
  assert.equal(cancelled.status, "cancelled");
  const refused = await client.callTool({ name: "find_open_times", arguments: { service: "nothing", from: "soon" } });
  assert.equal(refused.isError, true);
  const read = await client.readResource({ uri: `receptionist://appointments/${booked.id}` });
  assert.equal(JSON.parse(read.contents[0].text).status, "cancelled");
  await client.close();
  console.log(`ok: ${name}`);
}
