import type { Alert } from '@tocsin/protocol'
import { ShieldCheck } from 'lucide-react'
import { Suspense } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { useCopied } from '../../ui/use-copied.ts'
import { AcknowledgeButton } from '../alert/acknowledge-button.tsx'
import { createProofHref } from '../alert/alert-texts.ts'
import { KeyHint } from '../alert/key-hint.tsx'
import { ShareButton } from '../alert/share-button.tsx'
import { WatchButton } from '../alert/watch-button.tsx'
import { DownloadProof } from '../proof/download-proof.tsx'

const MarketButtons = lazyLoad(async () => (await import('../market/market-buttons.tsx')).AlertMarketButtons)

type AlertActionsProps = {
  alert: Alert
  /**
   * Shows all buttons. False on the dashboard, where the header of the detail has the buttons Share
   * and Watch.
   */
  hasAllButtons: boolean
  className: string
}

/**
 * Buttons for an alert. The market buttons load last. They come after the other buttons, or on a
 * line above them at the bottom of the detail, so that they do not move the others.
 */
export function AlertActions({ alert, hasAllButtons, className }: AlertActionsProps) {
  return (
    <div
      data-sticky
      className={classNames('flex items-center gap-2', hasAllButtons ? 'flex-wrap' : 'flex-wrap-reverse', className)}
    >
      {alert.priority === 'critical' && alert.kind === 'alert' && <AcknowledgeButton logIndex={alert.logIndex} />}
      <Button size="sm" asChild>
        <HrefLink href={createProofHref(alert.id)} data-keys="v" title="Check proof (v)">
          <ShieldCheck aria-hidden size={16} strokeWidth={2.25} />
          Check proof
          <KeyHint>v</KeyHint>
        </HrefLink>
      </Button>
      <DownloadProof alert={alert} />
      <CopyAlert alert={alert} isIcon={!hasAllButtons} />
      {hasAllButtons && (
        <>
          <ShareButton alert={alert} />
          <WatchButton asset={alert.asset} />
        </>
      )}
      <Suspense>
        <MarketButtons alert={alert} />
      </Suspense>
    </div>
  )
}

/** Copies an alert as JSON in the format that the verification page and the command line accept. */
function CopyAlert({ alert, isIcon }: { alert: Alert; isIcon: boolean }) {
  const { feedback, Icon, copy } = useCopied()
  const copyAlert = () => void copy(JSON.stringify(alert, null, 2))
  const label = feedback ?? 'Copy alert JSON'
  if (isIcon) return <IconButton icon={Icon} label={label} onClick={copyAlert} />
  return (
    <Button size="sm" className="min-w-34" onClick={copyAlert}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {label}
    </Button>
  )
}
