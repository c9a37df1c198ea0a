// Package floorplan is a test of the repository's layout. A package imports only its own floor and lower ones, some libraries are
// used only on certain floors, the top level is fixed, and files are short. Other tests here check the wording of comments, and
// that certain tables are used by the SQL of only one package.
package floorplan
