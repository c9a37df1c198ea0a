package db

// Functions that only this package and the tests of the migrations use.
var (
	MigrateFiles = migrate
	MigrationsOf = migrationsOf
)
