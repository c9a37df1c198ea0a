// Package botscan looks for bots among the stored clicks. Some functions return days. For each of these days, the caller calls
// spend.Respread.
package botscan
