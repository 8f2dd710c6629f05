use std::os::unix::fs::PermissionsExt;

use uuid::Uuid;

use super::super::{Batch, Key, MemoryBackend, Pair, Rows, Store, every_row};
use super::*;

fn business(number: u128) -> BusinessId {
    Uuid::from_u128(number).into()
}

fn key(of: BusinessId, row: u8) -> Key {
    Key::new(of.uuid().as_bytes()).with(&[0x50, row])
}

async fn with_rows(store: &Store, businesses: &[BusinessId]) {
    for of in businesses {
        let mut batch = Batch::new();
        (0..3).for_each(|row| batch.put(key(*of, row), vec![row]));
        assert!(store.submit(*of, batch, Box::new(|| ())).is_some());
        store.wait_durable(*of).await.unwrap();
    }
}

fn in_memory(disk: &MemoryBackend) -> Store {
    Store::in_memory(disk, Box::new(|error| panic!("{error}"))).unwrap()
}

#[allow(clippy::needless_pass_by_value, reason = "tests pass the result of a read directly")]
fn is_refused<T: std::fmt::Debug>(read: Result<T, StoreError>, of: BusinessId) {
    assert!(matches!(read, Err(StoreError::BusinessSetAside { business }) if business == of), "{read:?}");
}

fn keys_of(rows: Result<Vec<Pair>, StoreError>) -> Vec<Vec<u8>> {
    rows.unwrap().into_iter().map(|(key, _)| key).collect()
}

#[tokio::test]
async fn reads_and_changes_of_a_business_set_aside_fail_and_all_others_work() {
    let disk = MemoryBackend::new();
    let store = in_memory(&disk);
    let all = [BusinessId::INSTALLATION, business(1), business(2), business(3)];
    with_rows(&store, &all).await;
    let (whole, aside) = (every_row(), all[2]);
    let before = keys_of(store.all_rows().scan(&whole, Order::Ascending).collect());
    assert_eq!(keys_of(store.scan(&whole, Order::Ascending).collect()), before);

    store.set_business_aside(aside, "page 7 is\ndamaged").unwrap();
    store.set_business_aside(aside, "another reason").unwrap();
    for life in 0..2 {
        let store = if life == 0 { store.clone() } else { in_memory(&disk) };
        assert_eq!(store.businesses_set_aside(), [(aside, "page 7 is damaged".to_owned())]);
        assert!(store.is_business_set_aside(aside) && !store.is_business_set_aside(all[1]));
        is_refused(store.get_raw(&key(aside, 0)), aside);
        is_refused(store.rows().get(&key(aside, 0)), aside);
        is_refused(store.contains(&key(aside, 9)), aside);
        is_refused(store.newest_entry(aside), aside);
        is_refused(store.freeze(&[(aside, 0x50)]).await.map(drop), aside);
        for range in [keys::all(aside), keys::of_kind(aside, 0x60)] {
            for order in [Order::Ascending, Order::Descending] {
                let mut rows = store.scan(&range, order);
                is_refused(rows.next().unwrap(), aside);
                assert!(rows.next().is_none(), "the error must be returned only once");
            }
        }
        // A change with rows of several businesses is refused if one of these businesses is set aside.
        for (lane, row) in [(aside, all[1]), (all[1], aside)] {
            let mut batch = Batch::new();
            batch.put(key(row, 9), Vec::new());
            batch.put(key(all[1], 9), Vec::new());
            assert!(store.submit(lane, batch, Box::new(|| panic!("a refused change was written"))).is_none());
        }
        let others: Vec<_> = before.iter().filter(|key| !key.starts_with(aside.uuid().as_bytes())).collect();
        let mut read = keys_of(store.scan(&whole, Order::Ascending).collect());
        assert_eq!(read.iter().collect::<Vec<_>>(), others);
        read.reverse();
        assert_eq!(keys_of(store.scan(&whole, Order::Descending).collect()), read);
        let left = KeyRange { from: key(all[1], 2), to: key(aside, 1) };
        assert_eq!(keys_of(store.scan(&left, Order::Ascending).collect()), [key(all[1], 2).to_vec()]);
        // A copy of the store must also contain the rows of the businesses that are set aside.
        assert_eq!(keys_of(store.all_rows().scan(&whole, Order::Ascending).collect()), before);
        with_rows(&store, &[all[0], all[1], all[3]]).await;
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_running_scan_notices_a_business_that_is_set_aside_later() {
    let store = in_memory(&MemoryBackend::new());
    let all = [business(1), business(2)];
    with_rows(&store, &all).await;
    let (all_of_it, every) = (keys::all(all[0]), every_row());
    let mut own = store.scan(&all_of_it, Order::Ascending);
    let mut others = store.scan(&every, Order::Ascending);
    own.next().unwrap().unwrap();
    others.next().unwrap().unwrap();
    store.set_business_aside(all[0], "a test says so").unwrap();
    is_refused(own.next().unwrap(), all[0]);
    assert!(own.next().is_none());
    assert_eq!(keys_of(others.collect()), (0..3).map(|row| key(all[1], row).to_vec()).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_list_survives_restarts_and_only_its_owner_can_read_it() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Store::open_disk(dir.path(), Box::new(|error| panic!("{error}")));
    let store = open().unwrap();
    with_rows(&store, &[business(1), business(2)]).await;
    assert!(!dir.path().join(SET_ASIDE_FILE).exists());
    // In the service, the checkpoint thread calls `set_business_aside`. Therefore the test calls it in a separate
    // thread too.
    let other = store.clone();
    std::thread::spawn(move || other.set_business_aside(business(2), "7 rows are missing").unwrap())
        .join()
        .unwrap();
    let path = dir.path().join(SET_ASIDE_FILE);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{} 7 rows are missing\n", business(2)));
    store.close().await.unwrap();
    assert!(matches!(store.set_business_aside(business(1), "closed"), Err(StoreError::Closed)));

    let store = open().unwrap();
    is_refused(store.get_raw(&key(business(2), 0)), business(2));
    assert!(store.get_raw(&key(business(1), 0)).unwrap().is_some());
    store.close().await.unwrap();
    // To make a business available again, the operator removes its line or the whole file.
    std::fs::write(&path, "\n").unwrap();
    let store = open().unwrap();
    assert!(store.get_raw(&key(business(2), 0)).unwrap().is_some());
    assert!(store.set_business_aside(BusinessId::INSTALLATION, "no").is_err());
    store.close().await.unwrap();
}

#[test]
fn a_list_that_was_not_written_is_written_by_the_next_call() {
    let damaged = Damaged::default();
    let fails = |_: &[(BusinessId, String)]| Err(StoreError::Stopped);
    assert!(damaged.add(business(1), "first", fails).is_err());
    assert!(
        damaged.contains(business(1)),
        "the business must be set aside even if the list cannot be written"
    );
    let mut written = Vec::new();
    for _ in 0..2 {
        let keep = |listed: &[(BusinessId, String)]| {
            written.push(listed.to_vec());
            Ok(())
        };
        damaged.add(business(1), " ", keep).unwrap();
    }
    assert_eq!(written, [vec![(business(1), "first".to_owned())]]);
}

#[tokio::test]
async fn a_damaged_list_is_refused_with_its_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(SET_ASIDE_FILE);
    let good = format!("{} a reason\n", business(1));
    let max = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    for bad in [
        "x y\n".to_owned(),
        business(2).to_string(),
        format!("{} r\n", BusinessId::INSTALLATION),
        format!("{max} r\n"),
    ] {
        std::fs::write(&path, format!("{good}{bad}")).unwrap();
        let opened = Store::open_disk(dir.path(), Box::new(|_| ())).map(drop);
        let error = opened.unwrap_err();
        assert!(matches!(&error, StoreError::SetAsideFile { line: 2, .. }), "{error:?}");
        assert!(error.to_string().contains(SET_ASIDE_FILE), "{error}");
    }
    std::fs::write(&path, [good.as_bytes(), b"\xff\n"].concat()).unwrap();
    let read = read_businesses_set_aside(dir.path());
    assert!(matches!(read, Err(StoreError::SetAsideFile { line: 2, .. })), "{read:?}");
}
