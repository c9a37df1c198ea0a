// Rules for imports between the files of src. Imports look down: main, screens, parts, core, text. Files of text are not checked,
// because some of them import core/text.ts, which loads texts. An area of screens does not import another area, but may load a
// screen of another area as a tab. No two files import each other, directly or through others.
import fs from 'node:fs'
import path from 'node:path'

const src = path.join(import.meta.dirname, '../src')
const floors = ['text', 'core', 'parts', 'screens']

// areaOf returns the area of a file, the name of its folder in screens. It returns nothing for other files.
const areaOf = file => path.relative(src, file).match(/^screens\/([^/]+)\//)?.[1]
const floorOf = file => floors.indexOf(path.relative(src, file).split(path.sep)[0])

// fault returns why a file must not import another. A screen may load a screen of another area as a tab.
function fault(from, to, lazy) {
  const a = floorOf(from),
    b = floorOf(to)
  if (a > 0 && b > a) return `${floors[a]} does not import ${floors[b]}`
  const area = areaOf(from),
    other = areaOf(to)
  if (area && other && area !== other && !lazy)
    return `screens/${area} imports a file of screens/${other}: move what both use to parts or core`
}

const imports = /(?:\bfrom|^import|\bimport\()\s*'(\.[^']+\.tsx?)'/gm
const known = new Map()

function importsOf(file) {
  if (!known.has(file)) {
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
    known.set(
      file,
      [...text.matchAll(imports)].map(m => path.resolve(path.dirname(file), m[1])),
    )
  }
  return known.get(file)
}

// circle returns the shortest list of files by which a file imports itself.
function circle(start) {
  const seen = new Set(),
    ways = [[start]]
  for (const way of ways)
    for (const next of importsOf(way.at(-1))) {
      if (next === start) return way
      if (!seen.has(next)) {
        seen.add(next)
        ways.push([...way, next])
      }
    }
}

export const floorRule = {
  create(context) {
    const check = lazy => node => {
      const name = node.source?.value
      if (typeof name !== 'string' || !name.startsWith('.')) return
      const message = fault(context.filename, path.resolve(path.dirname(context.filename), name), lazy)
      if (message) context.report({ node, message })
    }
    return { ImportDeclaration: check(false), ExportNamedDeclaration: check(false), ImportExpression: check(true) }
  },
}

export const circleRule = {
  create: context => ({
    Program(node) {
      const way = circle(context.filename)
      if (way) context.report({ node, message: 'the file imports itself: ' + way.map(f => path.relative(src, f)).join(' -> ') })
    },
  }),
}
