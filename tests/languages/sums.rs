// SPDX-License-Identifier: BSL-1.0
#[no_mangle]
pub extern "C" fn tests_sum(n: i64) -> i64 {
    let numbers: Vec<i64> = (1..=n).collect();
    numbers.iter().sum()
}
