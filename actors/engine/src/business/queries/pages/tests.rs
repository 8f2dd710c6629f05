use std::collections::BTreeSet;

use proptest::prelude::*;
use store::{Batch, MemoryBackend};
use uuid::Uuid;

use super::*;

fn key(number: u16) -> Key {
    Key::new(&[7; HEAD_BYTES]).with(&number.to_be_bytes())
}

async fn store_with(numbers: &BTreeSet<u16>) -> Store {
    let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
    let mut batch = Batch::new();
    for number in numbers {
        batch.put(key(*number), vec![0; usize::from(number % 7) << 10]);
    }
    let business: BusinessId = Uuid::from_u128(1).into();
    store.submit(business, batch, Box::new(|| ()));
    store.wait_durable(business).await.unwrap();
    store
}

/// Lists the multiples of a number, page by page. `pages` contains the row budget and the limit of each page.
/// If the list has more pages than `pages` has elements, the elements are used again from the first one on.
async fn walk_multiples(store: &Store, order: Order, of: u16, pages: &[(usize, usize)]) -> (Vec<u16>, usize) {
    let range = KeyRange::prefix(Key::new(&[7; HEAD_BYTES]));
    let (mut found, mut after, mut walked) = (Vec::new(), None, 0);
    loop {
        let (budget, limit) = pages[walked % pages.len()];
        walked += 1;
        let scans = Scans::new(budget);
        let request = PageRequest { limit, after };
        let page = read_page((&scans, store), Uuid::from_u128(1).into(), &request, move |reader, page| {
            collect(reader, range, order, page, |key, _| {
                let number = u16::from_be_bytes([key[HEAD_BYTES], key[HEAD_BYTES + 1]]);
                // For each listed number, a second row is read. This imitates a list that reads the record of each
                // index row.
                let shown = number % of == 0;
                if shown {
                    reader.get_raw(&Key::new(key))?;
                }
                Ok(shown.then_some(number))
            })
        });
        let page = page.await.unwrap();
        assert!(page.items.len() <= limit);
        found.extend(page.items);
        match page.next {
            None => return (found, walked),
            next => after = next,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_list_with_row_budgets_has_the_same_items_as_a_list_without(
        numbers in prop::collection::btree_set(0u16..400, 0..120),
        of in 1u16..40,
        descending: bool,
        pages in prop::collection::vec((1usize..60, 1usize..20), 1..5),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let store = store_with(&numbers).await;
            let order = if descending { Order::Descending } else { Order::Ascending };
            let (found, _) = walk_multiples(&store, order, of, &pages).await;
            let mut expected: Vec<u16> = numbers.iter().copied().filter(|number| number % of == 0).collect();
            if descending {
                expected.reverse();
            }
            prop_assert_eq!(found, expected);
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn a_page_ends_at_its_budget_and_detects_the_end_of_the_list() {
    let store = store_with(&(1..=20).map(|number| number * 7).collect()).await;
    for order in [Order::Ascending, Order::Descending] {
        // None of the 20 rows matches, so a page ends only at its budget or at the end of the list. With a budget of 23
        // rows, one page reads the whole list in four steps. Steps 2, 3 and 4 each read the last row of the previous
        // step again. These three rows count twice: 20 + 3 = 23.
        for (budget, pages) in [(1, 20), (12, 3), (22, 2), (23, 1), (24, 1), (1_000, 1)] {
            let (found, walked) = walk_multiples(&store, order, 999, &[(budget, 5)]).await;
            assert_eq!((found, walked), (Vec::new(), pages), "with a budget of {budget} rows per page");
        }
    }
}
