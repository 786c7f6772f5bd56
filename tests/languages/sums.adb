-- SPDX-License-Identifier: BSL-1.0
package body Sums is
   use Interfaces.C;
   type Numbers is array (long range <>) of long;
   type Numbers_Access is access Numbers;
   function Sum (N : long) return long is
      Values : constant Numbers_Access := new Numbers (1 .. N);
      Total : long := 0;
   begin
      for I in Values'Range loop
         Values (I) := I;
         Total := Total + Values (I);
      end loop;
      return Total;
   end Sum;
end Sums;
