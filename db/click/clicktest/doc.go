// Package clicktest has the fixtures that tests of the packages of clicks share.
package clicktest
