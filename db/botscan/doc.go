// After a change, the caller calls spend.Respread for the days that the functions return.
package botscan
