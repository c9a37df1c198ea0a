// Package bind turns what a client sent into Go values: the window, paging, ids, and JSON bodies. Whatever is wrong
// becomes the documented 400, never a failure further down; texts that PostgreSQL cannot hold are refused here.
package bind
