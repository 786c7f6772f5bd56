-- SPDX-License-Identifier: BSL-1.0
with Interfaces.C;
package Sums is
   function Sum (N : Interfaces.C.long) return Interfaces.C.long
     with Export, Convention => C, External_Name => "tests_sum";
end Sums;
