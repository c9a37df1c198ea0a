// Package clients holds the clients of the API. The folder `go` is for programs in Go, and the folder `ts` for programs in TypeScript.
package clients
