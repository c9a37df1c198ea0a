package clicklog

// Tests have clicks of the last days only, so any day may be cold.
func init() { coldAfter = -newestClick }
