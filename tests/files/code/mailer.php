<?php

namespace App\Mail;

use App\Queue\Job;
use App\Support\{Clock, Str as Text};
use function App\Support\render;

require_once 'vendor/autoload.php';

const RETRIES = 3;

interface Sends
{
    public function send(string $to): bool;
}

trait Logs
{
    protected function log(string $line): void
    {
        error_log($line);
    }
}

enum Status: string
{
    case Sent = 'sent';
    case Failed = 'failed';
}

/** Sends mails in the background. */
final class Mailer extends Job implements Sends
{
    use Logs;

    public const LIMIT = 10;

    public function __construct(private Clock $clock)
    {
        parent::__construct();
    }

    /**
     * Sends one mail.
     */
    public function send(string $to): bool
    {
        $text = render('mail', ['to' => Text::lower($to)]);
        $this->log($text);
        $copy = new self($this->clock);
        return $copy->deliver($text) && self::LIMIT > 1;
    }

    private static function deliver(string $text): bool
    {
        return static::connect()->write($text);
    }
}

function mailer(): Mailer
{
    return new Mailer(new Clock());
}
