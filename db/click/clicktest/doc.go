// Package clicktest contains fixtures for the tests of the packages that store clicks.
package clicktest
