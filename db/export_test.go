package db

// For tests of the migrations.
var (
	MigrateFiles = migrate
	MigrationsOf = migrationsOf
)
