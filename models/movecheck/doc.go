// Package movecheck compares where visitors go here with where the tracker sends them from which their campaign came. It makes up
// visitors, writes the requests for the other tracker as a shell script, and reads what that script prints.
package movecheck
