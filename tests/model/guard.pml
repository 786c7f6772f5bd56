/* SPDX-License-Identifier: BSL-1.0
 *
 * A model of the call guard and of the gate, for the model checker spin. Its comments name the C++
 * functions that it follows: CallGuard and CallSwitch of tenon/detail/instance.hpp, and those of
 * thread_records.cpp in loader/call and of instance.cpp, generation.cpp, module.cpp,
 * hang_watch.cpp, retired_generations.cpp, restarts.cpp and restart.cpp in loader/module. Change
 * both together. check.py runs the configurations; loader/concurrency.md explains the proof.
 *
 * Memory: each thread that calls has a store buffer. It holds stores to slots, in order, and
 * writes them to memory at any later time. All other accesses reach memory in program order. Release
 * stores and acquire loads permit this on x86 and ARM: a load may overtake an earlier store, and
 * nothing else is reordered. With WEAK, stores of a thread to different slots may reach memory in any
 * order, too, as those without a memory order do on ARM.
 *
 * Time: each deadline may pass at any moment.
 *
 * check.py defines the macros that are tested with #ifdef. Some of them remove a step of the
 * protocol, and spin must find the fault.
 */

#ifndef READERS
#define READERS 2  /* threads that call */
#endif
#ifndef LEVELS
#define LEVELS 1   /* slots of a record, ThreadRecord::levels */
#endif
#ifndef DEEPEST
#define DEEPEST 1  /* calls of a thread inside each other */
#endif
#ifndef CALLS
#define CALLS 2    /* calls that each thread makes */
#endif
#ifndef RESTARTS
#define RESTARTS 1
#endif
#ifndef STORES
#define STORES 2   /* stores that a buffer holds */
#endif

/* A generation is a number from 1 to 3. The number represents its memory: the next generation gets
 * the number of an unloaded one. Its call targets are in an array; a generation that outgrew its
 * array has a larger one and keeps the first. */
#define LARGER(generation) (generation + 4)
#define GENERATION(array) (array % 4)  /* 0: no generation */
#define NONE 0
#define GATE 8     /* the array of the closed gate, whose targets have no table */

#define SLOT(level) (record * LEVELS + (level))
#define COUNTED 9  /* the place of a call without a slot */
#define NO_RECORD 9
#define ALL ((1 << READERS) - 1)

/* -- Memory of the loader ---------------------------------------------------- */

/* CallSwitch */
byte current = 1;                /* current_ */
byte published = 1;              /* published_ */
byte overflow = 0;
bool module_orders = false;      /* readers_order_ */

/* thread_records.cpp */
byte slots[READERS * LEVELS];    /* ThreadRecord::slots, of all records */
byte records = 0;                /* all_records: how many there are */
bool unused[READERS];            /* free_records */
bool readers_order = false;
bool pausing = false;            /* pause_mutex */

/* Module and Restart */
bool locked = false;             /* ModuleShared::mutex, and CallSwitch::mutex_ */
byte generation = 1;             /* Module::generation_ */
byte latest[4];                  /* the last array in Generation::targets_ */
bool given_up = false;           /* Operation::given_up of the restart */
bool in_step = false;            /* the restart is in a function of the plugin */
byte asleep = 0;                 /* threads that wait for ModuleShared::changed */
chan retired = [RESTARTS + 1] of { byte };  /* RetiredGenerations::retired_ */

/* -- The machine ------------------------------------------------------------- */

chan buffer[READERS] = [STORES] of { byte, byte };  /* of a slot and its value */
byte asked[2];                   /* threads that still have to pass a barrier, by who asked */
bool refused = false;            /* the system refuses the barrier from now on */
byte time = 0;                   /* 1: the deadline of the gate has passed; 2: its grace, too */

/* The thread takes a lock, or executes another operation that orders all its accesses. */
#define ORDERS empty(buffer[self])
#define LOCKS (ORDERS && !locked)

/* -- Claims ------------------------------------------------------------------ */

bool loaded[4];
byte inside[4];           /* calls in each generation */
bool saved = false;              /* the state of `generation` was saved, to be handed over */
bool changed = false;            /* and a call has entered it since */
byte readers_ended = 0;
bool restarts_ended = false;
bool drains_ended = false;
bool over = false;
#ifdef LISTS_RECORDS_FIRST
byte early = 0;                  /* `records` before the restart closes the gate */
#endif

/* The call reads its target and runs the code of the generation from here on. */
inline enters(into) {
  assert(loaded[into]);
  inside[into]++;
  changed = changed || (saved && into == generation)
}

/* No call and no restart waits forever. */
ltl ends { <> over }

/* -- The current array -------------------------------------------------------- */

/* CallSwitch::publish. REQUIRED, as in the two below: locked. */
inline publish(array) {
  published = array;
#ifdef KEEPS_CURRENT
  current = array
#else
  current = (readers_order || module_orders -> GATE : array)
#endif
}

/* CallSwitch::close */
inline close() {
  published = GATE;
  current = GATE
}

/* Module::serve_again */
inline serve_again() {
#ifndef STAYS_CLOSED
  publish(latest[generation]);
#endif
#ifndef WAKES_NOBODY
  asleep = 0;
#endif
  skip
}

/* HangWatch::abandon_overdue and abandon_restart */
inline give_up_overdue() {
  if
  :: in_step && !given_up && time == 2 ->
    given_up = true;
    serve_again()
  :: else
  fi
}

/* -- Calls ------------------------------------------------------------------- */

proctype StoreBuffer(byte self) {
  byte slot, value;
#ifdef WEAK
  byte other, later;
#endif
end:
  do
#ifdef WEAK
  /* The later of two stores to different slots reaches memory first. */
  :: atomic {
      len(buffer[self]) == 2 ->
      buffer[self] ? slot, value;
      buffer[self] ? other, later;
      if
      :: slot != other -> slots[other] = later
      :: else -> skip
      fi;
      buffer[self] ! slot, value;
      if
      :: slot == other -> buffer[self] ! other, later
      :: else -> skip
      fi;
      slot = 0; value = 0; other = 0; later = 0
    }
#endif
  :: atomic { buffer[self] ? slot, value -> slots[slot] = value; slot = 0; value = 0 }
  :: atomic { (asked[0] & (1 << self)) && ORDERS -> asked[0] = asked[0] & ~(1 << self) }
  :: atomic { (asked[1] & (1 << self)) && ORDERS -> asked[1] = asked[1] & ~(1 << self) }
  od
}

#ifdef SIGNALS
/* A signal handler that makes one call between two steps of the guard. */
inline handler() {
  if
  :: !signalled && top < LEVELS ->
    signalled = true;
    top++;
    entered = current;
    buffer[self] ! SLOT(top - 1), entered;
    atomic {
      if
      :: current == entered && entered != GATE -> enters(GENERATION(entered))
      :: else -> entered = GATE
      fi
    }
    atomic {
      nfull(buffer[self]) ->
      if
      :: entered != GATE -> inside[GENERATION(entered)]--
      :: else
      fi;
      buffer[self] ! SLOT(top - 1), NONE;
      top--;
      entered = 0
    }
  :: true
  fi
}
#else
#define handler() skip
#endif

/* REQUIRED, as in the next one: atomic. */
inline begins(with_slot) {
  enters(GENERATION(serving));
  place[depth] = with_slot;
  within[depth] = GENERATION(serving);
  depth++;
  serving = 0
}

inline ends_call() {
  depth--;
  inside[within[depth]]--;
  within[depth] = 0;
  place[depth] = 0
}

proctype Reader(byte self) {
  byte record = NO_RECORD;       /* thread_record */
  byte top = 0;                  /* free_slot: how many slots are taken */
  byte depth = 0;                /* calls under way */
  byte place[DEEPEST];           /* of each: its slot, or COUNTED */
  byte within[DEEPEST];          /* and its generation */
  byte calls = 0;
  byte serving = 0, i = 0;
#ifdef SIGNALS
  bool signalled = false;
  byte entered = 0;
#endif
#ifndef THREADS_END
  record = self;
#endif
#ifdef FULL
  top = (self == 0 -> LEVELS : 0);
#endif

next:
  if
  :: depth < DEEPEST && calls < CALLS -> calls++; goto enter
  :: depth > 0 -> goto leave
  :: depth == 0 && calls == CALLS -> goto done
#ifdef THREADS_END
  :: depth == 0 && calls < CALLS && record != NO_RECORD -> goto thread_ends
#endif
#ifdef HANGS
  :: depth > 0 && self == 0 -> goto hangs
#endif
  fi;

enter:  /* CallGuard::CallGuard */
  if
  :: record == NO_RECORD || top == LEVELS -> goto enter_slowly
  :: else
  fi;
#ifndef TAKES_SLOT_LAST
  top++;  /* first: a signal handler takes the next slot */
#endif
  handler();
  serving = current;
  handler();
#ifdef TAKES_SLOT_LAST
  buffer[self] ! SLOT(top), serving;
  handler();
  top++;
#else
  buffer[self] ! SLOT(top - 1), serving;
#endif
  handler();
  atomic {
    if
#ifdef NO_RECHECK
    :: serving != GATE -> begins(top - 1); goto next
#else
    :: current == serving && serving != GATE -> begins(top - 1); goto next
#endif
    :: else
    fi
  }
  atomic {
    nfull(buffer[self]) ->
    buffer[self] ! SLOT(top - 1), NONE;
    top--;
    serving = 0
  }

enter_slowly:  /* CallGuard::enter_slowly */
  if
  :: record == NO_RECORD ->
    atomic {  /* attach_thread, take_record */
      ORDERS ->
      do
      :: i < READERS && unused[i] -> unused[i] = false; record = i; break
      :: i < READERS && !unused[i] -> i++
      :: i == READERS -> record = records; records++; break
      od;
      i = 0
    }
  :: record != NO_RECORD && top == LEVELS -> goto enter_counted
  :: else
  fi;
  top++;
  serving = published;
store:
#ifdef STORES_UNORDERED
  buffer[self] ! SLOT(top - 1), serving;
#else
  atomic { ORDERS -> slots[SLOT(top - 1)] = serving }
#endif
  atomic {
    if
    :: published != serving -> serving = published; goto store
    :: published == serving && serving != GATE -> begins(top - 1); goto next
    :: else
    fi
  }
  atomic {
    nfull(buffer[self]) ->
    buffer[self] ! SLOT(top - 1), NONE;
    top--;
    serving = 0;
    goto gate
  }

enter_counted:  /* CallGuard::enter_counted */
#ifdef COUNTS_LAST
  serving = published;
  atomic { ORDERS -> overflow++ }
#else
  atomic { ORDERS -> overflow++ }
  serving = published;
#endif
  atomic {
    if
    :: serving != GATE -> begins(COUNTED); goto next
    :: else -> serving = 0
    fi
  }
  atomic { ORDERS -> overflow-- }

gate:  /* CallGuard::enter_at_gate, Module::pass_gate */
  atomic {
    LOCKS ->
#ifndef NO_PASSAGE
    do  /* this_thread_has_entered */
    :: i < depth && place[i] != COUNTED && within[i] == generation ->
      i = 0;
      serving = generation;
      goto pass
    :: i < depth && !(place[i] != COUNTED && within[i] == generation) -> i++
    :: i == depth -> i = 0; break
    od;
#endif
    if
    :: published != GATE -> goto enter_slowly
    :: else -> asleep = asleep | (1 << self)
    fi
  }
  if
  :: !(asleep & (1 << self)) -> goto gate
  :: atomic {
      time == 2 && (asleep & (1 << self)) && LOCKS ->
      locked = true;
      asleep = asleep & ~(1 << self)
    }
    give_up_overdue();
    atomic {
      locked = false;
      if
      :: published != GATE -> goto enter_slowly
      :: else
      fi
    }
  fi;
  /* No generation serves: the call is refused. */
  atomic { ORDERS -> overflow++ }
  atomic { ORDERS -> overflow--; goto next }

pass:  /* The restart waits for this thread in any case. */
  atomic { ORDERS -> overflow++; begins(COUNTED); goto next }

leave:  /* CallGuard::~CallGuard */
  if
  :: place[depth - 1] == COUNTED -> atomic { ORDERS -> ends_call(); overflow--; goto next }
  :: else ->
    atomic {
      nfull(buffer[self]) ->
      ends_call();
      top--;
      buffer[self] ! SLOT(top), NONE;
      goto next
    }
  fi;

thread_ends:  /* give_back */
  atomic {
#ifndef GIVES_BACK_UNORDERED
    ORDERS ->
#endif
    unused[record] = true;
    record = NO_RECORD;
    goto next
  }

hangs:
end_hangs:
  false;  /* in a function of the plugin */

done:
  readers_ended++
}

/* -- Restarts ---------------------------------------------------------------- */

mtype = { left, occupied, unknown };

/* platform::process_barrier: every thread executes a full barrier before it returns. */
inline process_barrier(caller) {
#ifdef NO_BARRIER
  skip
#else
  asked[caller] = ALL;
  asked[caller] == 0
#endif
}

/* order_slots, CallSwitch::let_readers_order. The pause is far longer than a store stays in a
 * buffer. */
inline order_slots(caller) {
#ifdef PAUSES_ALONE
  atomic {
#else
  atomic {
    !pausing ->
#endif
    !locked ->
    pauses = !module_orders;
    module_orders = true;
#ifndef KEEPS_CURRENT
    current = GATE;
#endif
    pausing = true
  }
#ifndef NO_PAUSE
  if
  :: pauses ->
    asked[caller] = ALL;
    asked[caller] == 0
  :: else
  fi;
#endif
  atomic { pausing = false; pauses = false }
}

/* slots_are_visible */
inline make_slots_visible(caller) {
  if
#ifdef ORDERED
  :: true  /* readers_order_from_the_start */
#else
  :: readers_order -> order_slots(caller)
  :: !readers_order ->
    if
    :: !refused -> process_barrier(caller)
#ifdef REFUSES
    :: atomic { true -> refused = true }
      readers_order = true;
      order_slots(caller);
      threads = unknown
#endif
    fi
#endif
  fi
}

#ifdef SEES_LAST_ARRAY
#define HAS_TARGET(generation, array) (array == latest[generation])
#else  /* Serving::has_target */
#define HAS_TARGET(generation, array) (GENERATION(array) == generation)
#endif

/* wait_until_empty, somebody_is_in */
inline wait_until_empty(old, has_deadline, caller) {
  threads = left;
  make_slots_visible(caller);
  do
  :: threads == unknown -> break
  :: threads != unknown ->
    threads = left;
#ifndef IGNORES_OVERFLOW
    if
    :: overflow != 0 -> threads = occupied
    :: else
    fi;
#endif
#ifdef LISTS_RECORDS_FIRST
    listed = early;
#else
    listed = records;
#endif
    do
    :: atomic { threads == left && i < listed * LEVELS ->
        if
        :: HAS_TARGET(old, slots[i]) -> threads = occupied
        :: else -> i++
        fi
      }
    :: threads == occupied || i == listed * LEVELS -> i = 0; break
    od;
    if
    :: threads == left -> break
    :: threads == occupied && has_deadline && time > 0 -> break
    :: threads == occupied && !(has_deadline && time > 0)
    fi
  od
}

/* Restart::run, on a worker, one after the other with the lifecycle lock */
proctype Restart() {
  byte fresh = 0, old = 0, made = 0, i = 0, listed = 0;
  mtype threads = left;
  bool pauses = false;

  do
  :: made == RESTARTS -> break
  :: made < RESTARTS ->
    made++;
    d_step {  /* Restart::attempt loads the new code into free memory */
      time = 0;
      fresh = (!loaded[1] -> 1 : (!loaded[2] -> 2 : 3));
      assert(!loaded[fresh]);
      loaded[fresh] = true;
      latest[fresh] = fresh
    }
#ifdef LISTS_RECORDS_FIRST
    early = records;
#endif
#ifdef STATE
    atomic { !locked -> locked = true }  /* Restart::block_calls */
    close();
    locked = false;
#ifndef SAVES_AT_ONCE
    wait_until_empty(generation, true, 0);
#endif
    if
    :: threads != left -> goto fails
    :: else
    fi;
    atomic {  /* Restart::save_states */
      assert(inside[generation] == 0);
      saved = true;
      in_step = true
    }
#ifdef SAVING_HANGS
    if
    :: true
    :: true -> goto hangs
    fi;
#endif
    in_step = false;
#endif
    atomic {  /* Restart::publish */
      !locked ->
#ifdef STATE
      if
#ifndef PUBLISHES_LATE
      :: given_up -> goto ends_late
      :: !given_up && time > 0 -> goto fails
#endif
      :: else
      fi;
      assert(!changed);
      saved = false;
#endif
      locked = true;
      old = generation;
      generation = fresh;
      fresh = NONE
    }
    serve_again();
    atomic { locked = false; retired ! old; old = NONE; goto served }

fails:  /* Restart::fail, go_back */
    atomic { !locked -> locked = true }
    if
    :: !given_up -> serve_again()
    :: else
    fi;
    locked = false;
ends_late:  /* Restarts::finish_late: the new code ends unused */
    atomic {
      assert(inside[fresh] == 0);
      loaded[fresh] = false;
      fresh = NONE;
      saved = false;
      changed = false;
      given_up = false
    }
served:
    skip
  od;
  goto done;

hangs:  /* in save_state, forever */
  given_up;
done:
  retired ! NONE;
  restarts_ended = true
}

/* RetiredGenerations::drain and unload, on the worker of the restart, without the lifecycle lock */
proctype Drain() {
  byte old = 0, i = 0, listed = 0;
  mtype threads = left;
  bool pauses = false;

  do
  :: retired ? old ->
    if
    :: old == NONE -> break
    :: else
    fi;
    wait_until_empty(old, false, 1);
    if
#ifdef UNLOADS_UNKNOWN
    :: true ->
#else
    :: threads == unknown  /* RetiredGenerations::keep_mapped */
    :: threads == left ->
#endif
      atomic {
        assert(inside[old] == 0);
        loaded[old] = false;
        latest[old] = NONE
      }
    fi;
    old = NONE
  od;
  drains_ended = true
}

#ifdef GROWS
/* Generation::set_target, CallSwitch::replace: one instance more than the array can hold */
proctype Create() {
end:
  atomic {
    !locked && loaded[1] && generation == 1 ->
    latest[1] = LARGER(1);
    if
    :: published == 1 -> published = LARGER(1)
    :: else
    fi;
    if
    :: current == 1 -> current = LARGER(1)
    :: else
    fi
  }
}
#endif

#ifdef DEADLINES
proctype Clock() {
end:
  do
  :: time < 2 -> time++
  :: atomic { in_step && !given_up && time == 2 && !locked -> locked = true }  /* HangWatch */
    give_up_overdue();
    locked = false
  od
}
#endif

init {
  byte r;
  atomic {
    loaded[1] = true;
    latest[1] = 1;
#ifdef ORDERED
    readers_order = true;
    module_orders = true;
#ifndef KEEPS_CURRENT
    current = GATE;
#endif
#endif
#ifndef THREADS_END
    records = READERS;
#endif
    for (r : 0 .. READERS - 1) {
      run StoreBuffer(r);
      run Reader(r)
    }
    r = 0;
    run Restart();
    run Drain();
#ifdef DEADLINES
    run Clock();
#endif
#ifdef GROWS
    run Create()
#endif
  }
#ifdef HANGS
  atomic { readers_ended >= READERS - 1 && restarts_ended -> over = true }
#else
  atomic {
    readers_ended == READERS && restarts_ended && drains_ended;
    !locked && empty(buffer[0]) && empty(buffer[READERS - 1]) ->
    assert(published != GATE);
    assert(overflow == 0);
    for (r : 0 .. READERS * LEVELS - 1) {
      assert(slots[r] == NONE)
    }
    over = true
  }
#endif
}
