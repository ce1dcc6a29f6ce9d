import { cloneElement, isValidElement, type ReactNode } from 'react'

const letters: Record<string, string> = {
  ...{ a: 'å', b: 'ƀ', c: 'ç', d: 'đ', e: 'é', f: 'ƒ', g: 'ĝ', h: 'ĥ', i: 'î', j: 'ĵ', k: 'ķ', l: 'ļ', m: 'ɱ' },
  ...{ n: 'ñ', o: 'ö', p: 'þ', q: 'ǫ', r: 'ŕ', s: 'š', t: 'ţ', u: 'û', v: 'ṽ', w: 'ŵ', x: 'ẋ', y: 'ý', z: 'ž' },
}
/** How much longer than English a language may be. */
const growth = 0.4

/** The texts in a language that nobody speaks: other letters, in brackets, and as long as German. Of the same type as they were. */
export function inPseudoLanguage<Texts>(texts: Texts): Texts {
  // Every kind of text is answered by the same kind.
  return translate(texts) as Texts
}

function translate(value: unknown): unknown {
  if (typeof value === 'string') return translateText(value)
  if (typeof value === 'function') return (...given: unknown[]) => translate(value(...given))
  if (Array.isArray(value)) return value.map(translate)
  if (isValidElement<{ children?: ReactNode }>(value)) {
    if (value.type === 'code') return value
    const { children } = value.props
    if (children === undefined) return value
    const translated = [children].flat().map(translate)
    // What was a list of children in the markup is one again.
    return cloneElement(value, undefined, ...(translated as ReactNode[]))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, translate(part)]))
}

function translateText(text: string): string {
  if (!/\p{L}/u.test(text.replace(/‹[^‹›]*›/g, ''))) return text
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? []
  return `${before}‹${words.replace(/\S+/g, translateWord)}›${after}`
}

/** Each word grows, so that lines break where they would. One that was put in already speaks the language. */
function translateWord(word: string): string {
  if (!/\p{L}/u.test(word) || /[‹›~]/.test(word)) return word
  const other = word.replace(/[a-z]/g, (letter) => letters[letter] ?? letter)
  return `${other}${'~'.repeat(Math.round(word.length * growth))}`
}
