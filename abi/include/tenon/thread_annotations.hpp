// SPDX-License-Identifier: BSL-1.0
//
// tenon/thread_annotations.hpp: annotations that state which mutex guards a variable, and which one
// a function needs. clang checks them with -Wthread-safety; other compilers ignore them. They apply
// to the mutexes and locks of tenon/mutex.hpp.
#pragma once

#if defined(__clang__)
#define TENON_THREAD_ANNOTATION(attribute) __attribute__((attribute))
#else
#define TENON_THREAD_ANNOTATION(attribute)
#endif

/// A class of mutexes.
#define TENON_CAPABILITY(name) TENON_THREAD_ANNOTATION(capability(name))
/// A class whose objects lock or unlock a mutex until they are destroyed.
#define TENON_SCOPED_CAPABILITY TENON_THREAD_ANNOTATION(scoped_lockable)

/// A variable that is used only while the mutex is held.
#define TENON_GUARDED_BY(mutex) TENON_THREAD_ANNOTATION(guarded_by(mutex))

/// A function that is called only while the calling thread holds the mutexes.
#define TENON_REQUIRES(...) TENON_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
/// A function that is called only while the calling thread does not hold the mutexes. It locks them
/// or may run for long.
#define TENON_EXCLUDES(...) TENON_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
/// A function that locks the mutexes; without arguments, this object.
#define TENON_ACQUIRE(...) TENON_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
/// A function that locks this object if it returns `result`.
#define TENON_TRY_ACQUIRE(result) TENON_THREAD_ANNOTATION(try_acquire_capability(result))
/// A function that unlocks the mutexes; without arguments, this object.
#define TENON_RELEASE(...) TENON_THREAD_ANNOTATION(release_capability(__VA_ARGS__))

/// A function that is not checked.
#define TENON_NO_THREAD_SAFETY_ANALYSIS TENON_THREAD_ANNOTATION(no_thread_safety_analysis)
