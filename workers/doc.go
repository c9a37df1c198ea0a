// Package workers is the runtime that carries out jobs. It fetches tasks from the queues, calls the handler of their
// kind with typed arguments, and commits the effect of a row job together with the state of its row, once.
//
// Capabilities are the packages below this one. Each registers its handlers. They do not import each other.
package workers
