(* SPDX-License-Identifier: BSL-1.0 *)
let sum n = List.fold_left (+) 0 (List.init n (fun i -> i + 1))
let () = Callback.register "tests_sum" sum
