import {
  CircleAlert,
  Database,
  FileLock2,
  HardDriveDownload,
  LockKeyhole,
  LockKeyholeOpen,
  Server,
  Sparkles,
} from 'lucide-react';
import { encryptionSentence } from '../components/encryption.ts';
import { megabytes } from '../components/format.ts';
import { storageSentence } from '../components/storage.ts';
import type { EncoderStatus, SourceStatus } from '../source/source.ts';
import { useSource, useStore } from '../source/source-context.tsx';
import styles from './status-bar.module.css';

/** The status of the source. */
export function StatusBar() {
  const source = useSource();
  const status = useStore(source.status);
  return (
    <footer className={styles.bar} aria-label="Status">
      <StorageLocation status={status} />
      {status.isEncrypted !== undefined && <Encryption isEncrypted={status.isEncrypted} />}
      {status.problem !== undefined && (
        <span className={styles.problem} role="alert" title={status.problem}>
          <CircleAlert size={13} aria-hidden />
          <span>{status.problem}</span>
        </span>
      )}
      <span className={styles.space} />
      {status.pendingEmbeddings > 0 && (
        <span title="Until they are embedded, these texts are found only by their words.">
          {status.pendingEmbeddings.toLocaleString('en')} waiting for embedding
        </span>
      )}
      {status.encoder !== undefined && <Encoder status={status.encoder} />}
    </footer>
  );
}

function StorageLocation({ status }: { readonly status: SourceStatus }) {
  if (status.connection === 'starting') return <span className={styles.item}>Starting…</span>;
  if (status.storage === 'server') {
    return (
      <span className={styles.item}>
        <Server size={13} aria-hidden />
        {status.connection === 'lost'
          ? 'Server disconnected'
          : status.isReadOnly === true
            ? 'Connected, read-only'
            : 'Connected to server'}
      </span>
    );
  }
  if (status.storage === 'file') {
    return (
      <span className={styles.item}>
        <FileLock2 size={13} aria-hidden />
        Read-only copy in this file
      </span>
    );
  }
  if (status.storage === 'memory') {
    return (
      <span className={`${styles.item} ${styles.warn}`} title={status.storageNote}>
        <HardDriveDownload size={13} aria-hidden />
        In memory only: lost when this page closes
      </span>
    );
  }
  const { isPersistent } = status;
  return (
    <span className={styles.item} title={isPersistent === undefined ? undefined : storageSentence(isPersistent)}>
      <Database size={13} aria-hidden />
      This browser{status.role === 'follower' ? ', opened in another tab' : ''}
    </span>
  );
}

function Encryption({ isEncrypted }: { readonly isEncrypted: boolean }) {
  const Icon = isEncrypted ? LockKeyhole : LockKeyholeOpen;
  return (
    <span className={styles.item} title={encryptionSentence(isEncrypted)}>
      <Icon size={13} aria-hidden />
      {isEncrypted ? 'Encrypted' : 'Not encrypted'}
    </span>
  );
}

function Encoder({ status }: { readonly status: EncoderStatus }) {
  switch (status.state) {
    case 'waiting':
      return <span className={styles.item}>Keyword search</span>;
    case 'loading':
      return (
        <span className={styles.item}>
          <progress
            className={styles.progress}
            value={status.doneBytes}
            max={status.totalBytes}
            aria-label="Loading the model"
          />
          Model {megabytes(status.doneBytes)} of {megabytes(status.totalBytes)}
        </span>
      );
    case 'ready':
      return (
        <span className={styles.item} title={status.name}>
          <Sparkles size={13} aria-hidden />
          Semantic search
        </span>
      );
    case 'failed':
      return (
        <span className={`${styles.item} ${styles.warn}`} title={status.reason}>
          Keyword search only: no model
        </span>
      );
  }
}
