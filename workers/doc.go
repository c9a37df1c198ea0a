// Package workers is the runtime that carries out jobs. It fetches tasks from the queues, calls the handler of the task's kind
// with typed arguments, and commits the effect. If a job has a row, its effect is committed exactly once, together with the state
// of the row.
//
// Each capability is a package below this package and registers its own handlers.
package workers
