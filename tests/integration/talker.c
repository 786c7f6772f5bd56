/* SPDX-License-Identifier: BSL-1.0
 *
 * Logs in every function of a module and of its plugins, an echo and a tape, with every logging
 * function of the C SDK. The text of `say` selects the function. */
#include <pthread.h>
#include <test/tape/v1.h>

#include "framework/test_plugin.h"

#define ECHO "test.example/talker"
#define TAPE "test.example/talking-tape"

static const tenon_host *host_of_module;

static void log_now(const char *message) {
  tenon_host_log(host_of_module, tenon_new_log_line(TENON_LOG_WARN, message, NULL, 0));
}

static tenon_status start(tenon_call *call, const tenon_host *host) {
  host_of_module = host;
  call->functions->log(call, TENON_LOG_WARN, tenon_text("start"));
  log_now("start of the module");
  return TENON_OK;
}
static void stop(void) {
  log_now("stop");
}

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  static int instance;
  (void)in;
  call->functions->log(call, TENON_LOG_WARN, tenon_text("create"));
  *self = &instance;
  return TENON_OK;
}
static void destroy(void *self) {
  (void)self;
  log_now("destroy");
}
static tenon_status save_state(tenon_call *call, void *self, const tenon_state_request *in,
                               const tenon_state_response **out) {
  static const tenon_state_response nothing = {sizeof nothing, {(const uint8_t *)"", 0}};
  (void)self;
  (void)in;
  call->functions->log(call, TENON_LOG_WARN, tenon_text("save_state"));
  *out = &nothing;
  return TENON_OK;
}
static tenon_status restore_state(tenon_call *call, void *self, const tenon_state_request *in) {
  (void)self;
  (void)in;
  call->functions->log(call, TENON_LOG_WARN, tenon_text("restore_state"));
  return TENON_OK;
}
static const tenon_base base = {.struct_size = sizeof base,
                                .create = create,
                                .destroy = destroy,
                                .save_state = save_state,
                                .restore_state = restore_state};

/* -- Threads of the module ------------------------------------------------------ */

static void *run_thread(void *nothing) {
  tenon_call *call;
  log_now("thread");
  if (host_of_module->call_begin(host_of_module, NULL, &call) != TENON_OK) return NULL;
  tenon_log(call, tenon_new_log_line(TENON_LOG_WARN, "call of a thread", NULL, 0));
  host_of_module->call_end(host_of_module, call);
  return nothing;
}

static void log_on_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_thread, NULL) == 0) pthread_join(thread, NULL);
}

/* -- The echo -------------------------------------------------------------------- */

/* Returns '+' or '-' for each level: whether it is enabled for the call, then for the module. */
static tenon_string levels(tenon_call *call) {
  char *text = tenon_allocate(call, 10);
  tenon_string response = {text, 10};
  int32_t level;
  for (level = 0; level < 5; level++) {
    text[level] = tenon_log_wanted(call, level) ? '+' : '-';
    text[5 + level] = tenon_host_log_wanted(host_of_module, level) ? '+' : '-';
  }
  return response;
}

static void discard(tenon_call *call, tenon_string text) {
  const tenon_log_pair pairs[] = {{TENON_TEXT("text"), text}};
  const tenon_log_line line = tenon_new_log_line(TENON_LOG_DEBUG, "discarded", pairs, 1);
  call->functions->log(call, TENON_LOG_DEBUG, text);
  host_of_module->log(host_of_module, TENON_LOG_DEBUG, text);
  tenon_log(call, line);
  tenon_host_log(host_of_module, line);
}

static tenon_status say(tenon_call *call, void *self, const test_echo_v1_say_request *in,
                        const test_echo_v1_say_response **out) {
  RESPONSE(test_echo_v1_say_response, response);
  const tenon_log_pair pairs[] = {{TENON_TEXT("text"), in->text}, {TENON_TEXT("rows"), {"12", 2}}};
  (void)self;
  response->text = in->text;
  *out = response;
  if (tenon_equal(in->text, tenon_text("levels"))) {
    response->text = levels(call);
  } else if (tenon_equal(in->text, tenon_text("discard"))) {
    discard(call, in->text);
  } else if (tenon_equal(in->text, tenon_text("thread"))) {
    log_on_thread();
  } else if (tenon_equal(in->text, tenon_text("host"))) {
    log_now("host");
  } else if (tenon_equal(in->text, tenon_text("named"))) {
    tenon_log_line line = tenon_new_log_line(TENON_LOG_WARN, "named", NULL, 0);
    line.plugin = tenon_text(TAPE);
    tenon_log(call, line);
    tenon_host_log(host_of_module, line);
  } else if (tenon_equal(in->text, tenon_text("loud"))) {
    call->functions->log(call, 1000, in->text);
    call->functions->log(call, -1000, in->text);
  } else {
    call->functions->log(call, TENON_LOG_WARN, in->text);
    tenon_log(call, tenon_new_log_line(TENON_LOG_WARN, "said", pairs, 2));
  }
  return TENON_OK;
}

static const test_echo_v1 echo = {TEST_ECHO_V1_BASE, .base = &base, .say = say};

/* -- The tape -------------------------------------------------------------------- */

static tenon_status read_end(tenon_call *call, tenon_reader *self, tenon_buffer into, size_t *got) {
  (void)self;
  (void)into;
  call->functions->log(call, TENON_LOG_WARN, tenon_text("read"));
  *got = 0;
  return TENON_OK;
}
static void release(tenon_reader *self) {
  (void)self;
  log_now("release");
}

static tenon_status play(tenon_call *call, void *self, const test_tape_v1_play_request *in,
                         const test_tape_v1_play_response **out) {
  static tenon_reader reader = {sizeof reader, read_end, release};
  RESPONSE(test_tape_v1_play_response, response);
  (void)self;
  (void)in;
  response->body = &reader;
  *out = response;
  return TENON_OK;
}

static const test_tape_v1 tape = {TEST_TAPE_V1_BASE, .base = &base, .play = play};

#define PLUGINS(P) P(test_echo, 1, ECHO, &echo) P(test_tape, 1, TAPE, &tape)
TENON_MODULE_WITH("test.example/talkers", "1.0.0", start, stop, PLUGINS,
                  {"threads": "joined", "state": {"writes": 1, "reads": [1]}});
