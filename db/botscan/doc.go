// Package botscan recognizes bots and scores clicks.
//
// A flood is more clicks from one address or /64 network within bot.FloodWindow than people make. Floods and Marks recognize the
// clicks of a flood before the clicks are stored. Scan finds the remaining floods, and the signals that appear only after the
// click. Revise and Rescore change stored clicks and move their figures in the ledger.
//
// The package imports click and conversion. After a change, the caller calls spend.Respread for the days that the functions
// return.
package botscan
