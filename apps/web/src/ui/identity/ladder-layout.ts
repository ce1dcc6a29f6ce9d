export type LadderRung = {
  level: number
  /** The side the sibling is on. */
  side: 'left' | 'right'
  sibling: string
  /** The running hash computed by this rung. */
  hash: string
}

/** `rung` is 1-based, or 'root' if the path does not end in the published root. */
export type LadderFailure = { rung: number | 'root'; recomputed: string; published: string }

export type RungState = 'proved' | 'broken' | 'unreached'

const firstY = 20
const pitch = 40
const boxShift = 72

/**
 * The box with the recomputed and the published hash: its height and its distance from the broken
 * node, in px.
 */
export const failureBox = { gap: 14, height: 60 }

export type LadderLayout = {
  width: number
  height: number
  centre: number
  left: number
  right: number
  leafY: number
  rungY: readonly number[]
  rootY: number
  transactionY: number
  blockY: number
  /** Top of the failure box, or null if nothing failed. */
  boxY: number | null
}

/**
 * Computes the positions of a ladder with `rungs` rungs, in px. Everything below a failure moves
 * down, to make space for the failure box.
 */
export function layOutLadder(
  rungs: number,
  failedAt: LadderFailure['rung'] | undefined,
  isPhone: boolean,
): LadderLayout {
  const width = isPhone ? 324 : 390
  const arm = isPhone ? 48 : 60
  const brokenRow = failedAt === 'root' ? rungs + 1 : failedAt
  const getRowY = (row: number) => firstY + pitch * row + (brokenRow !== undefined && row > brokenRow ? boxShift : 0)
  const blockY = getRowY(rungs + 3)
  return {
    width,
    height: blockY + 20,
    centre: width / 2,
    left: width / 2 - arm,
    right: width / 2 + arm,
    leafY: getRowY(0),
    rungY: Array.from({ length: rungs }, (_, index) => getRowY(index + 1)),
    rootY: getRowY(rungs + 1),
    transactionY: getRowY(rungs + 2),
    blockY,
    boxY: brokenRow === undefined ? null : getRowY(brokenRow) + failureBox.gap,
  }
}

/** @param rung 1-based */
export function getRungState(rung: number, failedAt: LadderFailure['rung'] | undefined): RungState {
  if (failedAt === undefined || failedAt === 'root' || rung < failedAt) return 'proved'
  return rung === failedAt ? 'broken' : 'unreached'
}
