//! Measures operations on bytes: encoding records and signing webhooks.

use std::hint::black_box;

use chrono::TimeDelta;
use criterion::{BenchmarkId, Criterion, Throughput};
use domain::{
    Actor, Appointment, AppointmentStatus, AuditAction, AuditEntry, AuditedKind, Buffers, CalendarSyncStatus,
    Contact, Email, Locale, Phone, Source,
};
use engine::delivery::sign;
use store::Record;
use uuid::Uuid;

use crate::world::{id, now};

pub(crate) fn records(criterion: &mut Criterion) {
    let appointment = Appointment {
        id: id(1),
        status: AppointmentStatus::Confirmed,
        starts_at: now(),
        ends_at: now() + TimeDelta::minutes(30),
        buffers: Buffers::default(),
        service_id: id(2),
        staff_id: id(3),
        contact_id: Some(id(4)),
        source: Source::Api,
        calendar_sync_status: CalendarSyncStatus::NotConnected,
        announced: true,
        move_unannounced: false,
        notes: None,
        customer_note: None,
        booked_as: None,
        attendance: None,
        created_at: now(),
        updated_at: now(),
    };
    let contact = Contact {
        id: id(4),
        name: Some("Awa Diallo".into()),
        phone: Some(Phone::from_e164("+33612345678".into()).unwrap()),
        email: Some(Email::new("awa.diallo@example.com").unwrap()),
        locale: Some(Locale::Fr),
        zone: None,
        notes: None,
        alert: None,
        created_at: now(),
        updated_at: now(),
    };
    let entry = AuditEntry {
        id: id(5),
        at: now(),
        actor: Actor::ApiKey(id(6)),
        action: AuditAction::AppointmentBooked,
        resource_type: AuditedKind::Appointment,
        resource_id: Uuid::from_u128(1),
        changes: Vec::new(),
    };
    record(criterion, "appointment", &appointment);
    record(criterion, "contact", &contact);
    record(criterion, "audit entry", &entry);
}

fn record<R: Record>(criterion: &mut Criterion, name: &str, record: &R) {
    let bytes = record.encode();
    let mut group = criterion.benchmark_group("record");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function(BenchmarkId::new("encode", name), |bencher| {
        bencher.iter(|| black_box(record).encode());
    });
    group.bench_function(BenchmarkId::new("decode", name), |bencher| {
        bencher.iter(|| R::decode(black_box(&bytes)).unwrap());
    });
    group.finish();
}

pub(crate) fn signature(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("signature");
    for bytes in [600, 16 << 10] {
        let body = vec![b'x'; bytes];
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(format!("{bytes} bytes"), |bencher| {
            let id = "01a1fa8a-7862-7000-ac25-1fd3c10dfbbc";
            bencher.iter(|| sign(black_box(&[7; 32]), id, 1_614_265_330, black_box(&body)));
        });
    }
    group.finish();
}
