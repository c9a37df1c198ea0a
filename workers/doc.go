// Package workers is the runtime in which jobs are carried out: it takes tasks off the queues, gives handlers typed
// arguments, and sees to it that a row job's effect and state commit together, once.
//
// Capabilities live in packages below this one; each registers its handlers. They do not import each other.
package workers
