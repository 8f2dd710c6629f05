//! The simulated disk.

use super::*;

fn put(session: &Session, key: &[u8], value: &[u8]) {
    let mut batch = Batch::new();
    batch.put(Key::new(key), value.to_vec());
    session.apply(&batch).unwrap();
}

fn all(session: &Session, order: Order) -> Vec<(Vec<u8>, Vec<u8>)> {
    let range = KeyRange { from: Key::new(b""), to: Key::new(&[0xff]) };
    session.scan(&range, order).collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_copy_holds_the_same_and_goes_its_own_way() {
    let disk = MemoryBackend::new();
    let session = disk.session().unwrap();
    put(&session, b"k", b"1");
    session.sync().unwrap();
    let copy = disk.copied().session().unwrap();
    put(&copy, b"k", b"2");
    put(&session, b"other", b"3");
    assert_eq!(all(&copy, Order::Ascending), [(b"k".to_vec(), b"2".to_vec())]);
    assert_eq!(session.get(b"k").unwrap().unwrap(), b"1");
}

#[test]
fn a_crash_forgets_unsynced_batches_behind_the_ones_kept() {
    for keep in 0..=4 {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        put(&session, b"k", b"synced");
        session.sync().unwrap();
        put(&session, b"k", b"1");
        let mut second = Batch::new();
        second.delete(Key::new(b"k"));
        second.put(Key::new(b"other"), b"2".to_vec());
        second.put(Key::new(b"other"), b"2 again".to_vec());
        session.apply(&second).unwrap();
        put(&session, b"k", b"3");
        assert_eq!(session.get(b"k").unwrap().unwrap(), b"3");
        assert_eq!(disk.unsynced(), 3);

        disk.crash(keep);
        assert!(matches!(session.get(b"k"), Err(StoreError::Closed)));
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
fn a_disk_is_open_once() {
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
