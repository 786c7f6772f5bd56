/* SPDX-License-Identifier: BSL-1.0
 *
 * A model of calls that block, which a restart of a module with a session cancels, for the model
 * checker spin. It follows Blocking of tenon/detail/instance.hpp and interrupt_calls of
 * loader/call/thread_records.cpp: change both together. guard.pml describes memory, switches and
 * the guard, which here only lets calls in and out.
 */

#ifndef READERS
#define READERS 1
#endif
#ifndef RESTARTS
#define RESTARTS 1
#endif
#ifndef CALLS
#define CALLS 2
#endif
#define STORES 2

#define NONE 0
#define OLD 1
#define NEW 2
#define OTHER 3    /* a generation of another module */
/* Each call has a number, which represents the address of its Call. */
#define CALL(reader, count) (reader * CALLS + count)

byte slots[READERS];             /* ThreadRecord::slots; one level is enough */
byte blocking[READERS];          /* ThreadRecord::blocking */
bool closed = false;             /* the gate */
byte generation = OLD;
bool interrupting = false;       /* CallSwitch::interrupting */
bool cancelling_calls = false;
bool cancelling_mutex = false;
bool readers_order = false;

mtype = { to_slot, to_blocking };
chan buffer[READERS] = [STORES] of { mtype, byte };
byte asked = 0;
bool refused = false;

#define ORDERS empty(buffer[self])

/* Claims: a restart cancels only calls that exist and are in the old generation. Calls that wait to
 * be cancelled end; otherwise the model deadlocks. */
bool alive[READERS * CALLS + 1];
bool in_old[READERS * CALLS + 1];
bool cancelled[READERS * CALLS + 1];

proctype StoreBuffer(byte self) {
  byte value;
end:
  do
  :: atomic { buffer[self] ? to_slot, value -> slots[self] = value; value = 0 }
  :: atomic { buffer[self] ? to_blocking, value -> blocking[self] = value; value = 0 }
  :: atomic { (asked & (1 << self)) && ORDERS -> asked = asked & ~(1 << self) }
  od
}

/* Blocking::store_then_load */
inline store_then_load(call, flag) {
#ifdef READS_ORDER_FIRST
  order = readers_order;
  if
  :: order -> atomic { ORDERS -> blocking[self] = call }
  :: else -> buffer[self] ! to_blocking, call
  fi;
#else
  buffer[self] ! to_blocking, call;
  order = readers_order;
  if
  :: order -> ORDERS
  :: else
  fi;
#endif
  seen = flag;
  order = false
}

inline enters(into) {
  alive[mine] = true;
  in_old[mine] = (into == OLD);
  if
  :: into == OLD -> waits = true
  :: true
  fi
}

proctype Reader(byte self) {
  byte count = 0, mine = 0;
  bool order = false, seen = false, waits = false;

  do
  :: count == CALLS -> break
  :: count < CALLS ->
    count++;
    mine = CALL(self, count);
    /* CallGuard, which orders its store if needed. Some calls into the old generation wait until
     * they are cancelled; other calls do not wait. */
    if
    :: atomic {
        !closed && !readers_order && nfull(buffer[self]) ->
        buffer[self] ! to_slot, generation;
        enters(generation)
      }
    :: atomic { !closed && readers_order && ORDERS -> slots[self] = generation; enters(generation) }
    :: atomic { nfull(buffer[self]) -> buffer[self] ! to_slot, OTHER; enters(OTHER) }
    fi;
    store_then_load(mine, interrupting);  /* Blocking::Blocking */
    if
    :: seen -> cancelled[mine] = true; seen = false
    :: else
    fi;
    if
    :: waits -> cancelled[mine]; waits = false
    :: else
    fi;
    store_then_load(NONE, cancelling_calls);  /* Blocking::~Blocking */
#ifndef NO_WAITING
    if
    :: seen -> atomic { ORDERS && !cancelling_mutex -> seen = false }
    :: else
    fi;
#endif
    atomic { alive[mine] = false; mine = 0; seen = false }
    buffer[self] ! to_slot, NONE
  od
}

/* slots_are_visible */
inline make_slots_visible() {
  if
  :: readers_order
  :: !readers_order ->
    if
    :: !refused ->
#ifndef NO_BARRIER
      asked = (1 << READERS) - 1;
      asked == 0
#else
      skip
#endif
#ifdef REFUSES
    :: atomic { true -> refused = true }
      readers_order = true;
#ifndef NO_PAUSE
      asked = (1 << READERS) - 1;
      asked == 0
#else
      skip
#endif
#endif
    fi
  fi
}

/* Restart::block_calls and the end of the restart */
proctype Restart() {
  byte made = 0, i = 0, call = 0;

  do
  :: generation == NEW -> break
  :: generation == OLD ->
    made++;
    closed = true;
#ifdef INTERRUPTS_LATE
    skip;
#else
    interrupting = true;
#endif
    /* interrupt_calls */
    atomic { !cancelling_mutex -> cancelling_mutex = true }
    cancelling_calls = true;
    make_slots_visible();
    do
    :: i == READERS -> i = 0; break
    :: i < READERS ->
      call = blocking[i];
      if
#ifdef IGNORES_SLOT
      :: call != NONE ->
#else
      :: call != NONE && slots[i] == OLD ->
#endif
        atomic {
          assert(alive[call]);
          assert(in_old[call]);
          cancelled[call] = true
        }
      :: else
      fi;
      call = NONE;
      i++
    od;
    atomic { cancelling_calls = false; cancelling_mutex = false }
#ifdef INTERRUPTS_LATE
    interrupting = true;
#endif
    /* wait_until_empty */
    do
    :: i == READERS ->
      i = 0;
      generation = NEW;
      break
    :: atomic { i < READERS && slots[i] != OLD -> i++ }
    :: made < RESTARTS -> i = 0; break  /* the deadline has passed */
    od;
    interrupting = false;
    closed = false
  od
}

init {
  byte r;
  atomic {
    for (r : 0 .. READERS - 1) {
      run StoreBuffer(r);
      run Reader(r)
    }
    r = 0;
    run Restart()
  }
}
