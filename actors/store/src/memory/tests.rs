use super::*;

fn put(session: &Session, key: &[u8], value: &[u8]) {
    let mut batch = Batch::new();
    batch.put(Key::new(key), value.to_vec());
    session.commit(&batch).unwrap();
}

fn all(session: &Session, order: Order) -> Vec<(Vec<u8>, Vec<u8>)> {
    let range = KeyRange { from: Key::new(b""), to: Key::new(&[0xff]) };
    session.scan(&range, order).collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_copy_has_the_same_rows_and_changes_independently() {
    let disk = MemoryBackend::new();
    let session = disk.session().unwrap();
    put(&session, b"k", b"1");
    let copy = disk.copied().session().unwrap();
    put(&copy, b"k", b"2");
    put(&session, b"other", b"3");
    assert_eq!(all(&copy, Order::Ascending), [(b"k".to_vec(), b"2".to_vec())]);
    assert_eq!(session.get(b"k").unwrap().unwrap(), b"1");
}

#[test]
fn a_crash_loses_the_unsynced_batches_except_the_first_ones() {
    for keep in 0..=4 {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        put(&session, b"k", b"synced");
        let mut first = Batch::new();
        first.put(Key::new(b"k"), b"1".to_vec());
        let mut second = Batch::new();
        second.delete(Key::new(b"k"));
        second.put(Key::new(b"other"), b"2".to_vec());
        second.put(Key::new(b"other"), b"2 again".to_vec());
        let mut third = Batch::new();
        third.put(Key::new(b"k"), b"3".to_vec());
        for batch in [&first, &second, &third] {
            session.write(batch).unwrap();
        }
        assert_eq!(session.get(b"k").unwrap().unwrap(), b"synced");
        assert_eq!(disk.unsynced(), 3);

        disk.crash(keep);
        assert!(matches!(session.get(b"k"), Err(StoreError::Closed)));
        assert!(matches!(session.write(&second), Err(StoreError::Closed)));
        assert!(matches!(session.apply(&second), Err(StoreError::Closed)));
        assert!(matches!(session.sync(), Err(StoreError::Closed)));

        let session = disk.session().unwrap();
        let k = session.get(b"k").unwrap();
        let other = session.get(b"other").unwrap();
        let (k, other) = (k.as_deref(), other.as_deref());
        match keep {
            0 => assert_eq!((k, other), (Some(&b"synced"[..]), None)),
            1 => assert_eq!((k, other), (Some(&b"1"[..]), None)),
            2 => assert_eq!((k, other), (None, Some(&b"2 again"[..]))),
            _ => assert_eq!((k, other), (Some(&b"3"[..]), Some(&b"2 again"[..]))),
        }
    }
}

#[test]
fn a_disk_can_be_open_only_once() {
    let disk = MemoryBackend::new();
    let session = disk.session().unwrap();
    assert!(matches!(disk.session(), Err(StoreError::InUse(_))));
    drop(session);
    let second = disk.session().unwrap();
    second.close();
    assert!(matches!(second.get(b"k"), Err(StoreError::Closed)));
    disk.session().unwrap();
}

#[test]
fn a_scan_sees_the_range_in_both_orders() {
    let disk = MemoryBackend::new();
    let session = disk.session().unwrap();
    assert_eq!(all(&session, Order::Ascending), []);
    for key in [b"b", b"a", b"c"] {
        put(&session, key, b"");
    }
    let keys = |order| all(&session, order).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(Order::Ascending), [b"a", b"b", b"c"]);
    assert_eq!(keys(Order::Descending), [b"c", b"b", b"a"]);
    let part = KeyRange { from: Key::new(b"a"), to: Key::new(b"b") };
    assert_eq!(session.scan(&part, Order::Descending).count(), 1);
    assert_eq!(session.scan(&KeyRange { from: part.to, to: part.from }, Order::Ascending).count(), 0);
}

#[test]
fn after_every_crash_the_journal_restores_the_synced_batches() {
    let mut rng = Rng(7);
    let disk = MemoryBackend::new();
    let mut expected = Vec::<(Vec<u8>, Vec<u8>)>::new();
    for crash in 0..300 {
        let session = disk.session().unwrap();
        assert_eq!(all(&session, Order::Ascending), expected, "crash {crash}");
        let mut rows: BTreeMap<_, _> = expected.into_iter().collect();
        let batches: Vec<_> = (0..rng.below(40)).map(|_| random(&mut rng)).collect();
        for batch in &batches {
            session.commit(batch).unwrap();
        }
        let under_way = random(&mut rng);
        session.write(&under_way).unwrap();
        let keep = rng.below(2);
        for batch in batches.iter().chain((keep == 1).then_some(&under_way)) {
            batch.rows(|key, value| {
                match value {
                    Some(value) => rows.insert(key.to_vec(), value.to_vec()),
                    None => rows.remove(&key[..]),
                };
            });
        }
        expected = rows.into_iter().collect();
        disk.crash(keep as usize);
        disk.crash(0); // a second crash loses nothing more
    }
    assert!(!expected.is_empty());
}

fn random(rng: &mut Rng) -> Batch {
    let mut batch = Batch::new();
    for _ in 0..=rng.below(12) {
        let key = Key::new(&[7; 17]).with(&[rng.below(30) as u8]);
        match rng.below(4) {
            0 => batch.delete(key),
            _ => batch.put(key, vec![rng.below(256) as u8; rng.below(1_500) as usize]),
        }
    }
    batch
}
