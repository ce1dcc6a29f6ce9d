import { inLanguage, numberLocale } from './language.ts'

const en = {
  address: {
    copyShort: ({ short }: { short: string }) => `Copy ${short}`,
  },
  alertToast: {
    marketAlertsAltT: 'Market alerts (Alt+T)',
    moreInTheList: ({ unseen }: { unseen: number }) => `+${unseen} more in the list`,
    close: 'Close',
    openAlert: 'Open alert',
    checkProof: 'Check proof',
  },
  commandLine: {
    copyCommand: 'Copy command',
  },
  copyButton: {
    copied: 'Copied',
    copy: 'Copy',
  },
  dialog: {
    close: 'Close',
  },
  ladderFoot: {
    root: 'ROOT',
    transaction: 'TX',
    block: 'BLOCK',
    ofTreeSize: ({ treeSize }: { treeSize: number }) => `of ${treeSize.toLocaleString(numberLocale)}`,
    notYetAnchored: 'not yet anchored',
    notKnown: 'not known',
  },
  ladderRung: {
    notReached: 'not reached',
  },
  ladderStrip: {
    pathNotYetAnchored: ({ index }: { index: number }) =>
      `Merkle path of entry ${index.toLocaleString(numberLocale)}: not yet anchored`,
    pathToTheRoot: ({ index, rungs, treeSize }: { index: number; rungs: number; treeSize: number }) => {
      const entries = `${treeSize.toLocaleString(numberLocale)} ${treeSize === 1 ? 'entry' : 'entries'}`
      const way = `${rungs} ${rungs === 1 ? 'rung' : 'rungs'} to the root of ${entries}`
      return `Merkle path of entry ${index.toLocaleString(numberLocale)}: ${way}, its transaction and its block`
    },
  },
  merkleLadder: {
    leaf: 'LEAF',
    recomputed: 'RECOMPUTED',
    published: 'PUBLISHED',
    pathOfLeaf: ({ index, rungs }: { index: number; rungs: number }) => `Merkle path of leaf ${index}, ${rungs} rungs`,
    stopsAtTheRoot: ({ path }: { path: string }) => `${path}; stops at the root`,
    stopsAtRung: ({ path, rung }: { path: string; rung: number }) => `${path}; stops at rung ${rung}`,
    notYetAnchored: ({ path }: { path: string }) => `${path}; not yet anchored`,
    endsInRoot: ({ path, root }: { path: string; root: string }) => `${path}; ends in root ${root}`,
    endsInBlock: ({ path, root, block }: { path: string; root: string; block: string }) =>
      `${path}; ends in root ${root}, in block ${block}`,
    blockAt: ({ block, at }: { block: string; at: string }) => `${block} at ${at} UTC`,
  },
  systemToasts: {
    hideMessage: 'Hide message',
  },
  textField: {
    hidePassword: 'Hide password',
    showPassword: 'Show password',
  },
  themeToggle: {
    system: 'System',
    dark: 'Dark',
    light: 'Light',
    theme: 'Theme',
  },
}

export const uiMoreTexts = inLanguage({ en })
