{ SPDX-License-Identifier: BSL-1.0 }
library sums;
{$mode objfpc}
{$L module.o}
{$linklib c}

function tests_sum(n: int64): int64; cdecl; public name 'tests_sum';
var
  numbers: array of int64;
  i: int64;
begin
  setlength(numbers, n);
  result := 0;
  for i := 0 to n - 1 do
  begin
    numbers[i] := i + 1;
    result := result + numbers[i];
  end;
end;

var
  tenon_module_v1: pointer; external name 'tenon_module_v1';

exports
  tenon_module_v1;
end.
