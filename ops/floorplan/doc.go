// Package floorplan tests the layout of the repository: a package imports only its own floor and lower ones, some libraries are
// used only on certain floors, the top level is fixed, and files and packages are short. Other tests of the package check the
// wording of comments, and that certain tables are used by the SQL of only one package.
package floorplan
