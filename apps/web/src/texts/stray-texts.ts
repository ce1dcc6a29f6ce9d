import ts from 'typescript'

/** Words that are the same in every language: names, units, notations. */
const names = new Set(
  (
    'Tocsin ITO UTC ETH TX API HTTP HTTPS URL JSON CSV POST GET curl TypeScript Python GitHub Google LinkedIn MetaMask EIP SHA ms min kB ' +
    'Alt WalletConnect'
  ).split(' '),
)
/** Attributes that hold no words for people. */
const codeAttributes =
  /^(?:.*[cC]lassName|id|to|href|d|key|type|role|variant|size|tone|viewBox|name|autoComplete|autoCapitalize|inputMode|target|rel|fill|stroke.*|transform|method|htmlFor|scope|show|layout|align|side|shape|state|textAnchor|dir|lang|src|style|provider|language|pattern|accept|value|defaultValue|enterKeyHint|download|anchor|command|tab|light|list|orientation|swipeDirection|placement|shapeRendering|patternUnits|patternTransform|lengthAdjust|preserveAspectRatio|clipPath|mask|dominantBaseline|data-.*|on[A-Z].*|aria-(?:live|current|haspopup|labelledby|describedby|controls|hidden|atomic|sort|relevant|orientation))$/
/** Calls whose strings are names of classes or speak to programmers. */
const codeCalls = new Set([
  'classNames',
  'matchMedia',
  'Error',
  'TypeError',
  'RangeError',
  'ProviderError',
  'useMediaQuery',
  'target.matches',
])

export interface StrayText {
  /** From 1. */
  line: number
  text: string
}

/** Texts for people that stand in a source file, not in a catalogue: what a page shows, and whatever else reads like a sentence or a name. */
export function findStrayTexts(fileName: string, source: string): StrayText[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true)
  const found: StrayText[] = []
  const add = (node: ts.Node, text: string) => {
    found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text: text.trim() })
  }
  const visit = (node: ts.Node, isShown: boolean): void => {
    if (isCode(node, file)) return
    if (ts.isJsxText(node)) {
      if (hasWords(node.text)) add(node, node.text)
    } else if (ts.isStringLiteralLike(node)) {
      if (!isCompared(node) && (isShown ? hasWords(node.text) : isProse(node.text))) add(node, node.text)
    } else if (ts.isTemplateExpression(node)) {
      const text = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('\u0000')
      if (isShown ? hasWords(text) : isProse(text)) add(node, text.replaceAll('\u0000', '…'))
      for (const { expression } of node.templateSpans) visit(expression, isShown && isChoice(expression))
    } else {
      ts.forEachChild(node, (child) => visit(child, staysShown(node, child, isShown)))
    }
  }
  visit(file, false)
  return found
}

/** Whether what the child says is seen by people: what stands between tags or in an attribute for words, also as one of two choices. */
function staysShown(node: ts.Node, child: ts.Node, isShown: boolean): boolean {
  if (ts.isJsxAttribute(node)) return child === node.initializer
  if (ts.isJsxExpression(node)) return ts.isJsxAttribute(node.parent) ? isShown : true
  if (ts.isConditionalExpression(node)) return isShown && child !== node.condition
  if (ts.isBinaryExpression(node)) return isShown && isChoice(node)
  return isShown && ts.isParenthesizedExpression(node)
}

function isChoice(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node)) return ['&&', '||', '??', '+'].includes(node.operatorToken.getText())
  return ts.isConditionalExpression(node) || ts.isParenthesizedExpression(node) || ts.isStringLiteralLike(node)
}

function isCode(node: ts.Node, file: ts.SourceFile): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true
  if (ts.isJsxAttribute(node)) return codeAttributes.test(node.name.getText(file))
  return (ts.isCallExpression(node) || ts.isNewExpression(node)) && codeCalls.has(node.expression.getText(file))
}

/** A name that code compares or looks up by, which nobody sees. */
function isCompared(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)) return true
  if (ts.isPropertyAssignment(parent)) return parent.name === node
  return ts.isBinaryExpression(parent) && /^(?:[!=]==?|in)$/.test(parent.operatorToken.getText())
}

/** Addresses, paths, drawings and command lines. */
const codeStart = /^(?:https?:|wss?:|[/.#<]|M\d|0x|curl |cast |npm )/
/** Parts of a text that are no words: addresses, names of files, whatever has a digit in it. */
const noWords = /https?:\/\/|\w+\.json\b|\p{L}*\d[\p{L}\d…]*/gu

function hasWords(text: string): boolean {
  if (codeStart.test(text.trim())) return false
  const words = text.replaceAll(noWords, '').match(/\p{L}+/gu) ?? []
  return words.some((word) => word.length > 1 && !names.has(word))
}

function isProse(text: string): boolean {
  const trimmed = text.trim()
  // Two capitals make the name of a class or of a product.
  if (!hasWords(trimmed) || isClassNames(trimmed) || /^(?:\p{Lu}\p{Ll}+){2,}$/u.test(trimmed)) return false
  return /^[“"(‘]?\p{Lu}[\p{Ll}’']/u.test(trimmed) || /\p{L}[\p{L}’,.]* +\p{L}/u.test(trimmed)
}

/** Lower case throughout, with what only class names have: hyphens inside, prefixes, brackets. */
function isClassNames(text: string): boolean {
  const words = text.split(/\s+/)
  const areNames = words.every((word) => /^[a-z0-9!*@[\]()&:.,%/_#>~=+-]+$/.test(word) && !/[.,]$/.test(word))
  return areNames && words.some((word) => /[a-z]-[a-z0-9[]|:|\[/.test(word))
}
