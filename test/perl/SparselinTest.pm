# What the TAP tests share: a cluster that has the extension, queries in the background, temporary files counted.
# On top of PostgreSQL::Test, which makes and removes the clusters.
package SparselinTest;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(new_node server_version fails_like background_query temporary_files wait_until backend_memory_kb);

# new_node(NAME, 'setting = value', ...): a running cluster with the extension in database postgres.
sub new_node {
    my ($name, @settings) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(extra => [ '--no-locale', '-E', 'UTF8' ]);
    $node->append_conf('postgresql.conf', join "\n", 'fsync = off', @settings, '');
    $node->start;
    $node->safe_psql('postgres', 'CREATE EXTENSION sparselin');
    return $node;
}

# The major version. (PostgreSQL's own pg_version is younger than some of the versions.)
sub server_version {
    my ($node) = @_;
    return int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);
}

# fails_like(NODE, SQL, PATTERN, TEST NAME, user => ..., dbname => ...): the statement fails with this error.
sub fails_like {
    my ($node, $sql, $pattern, $name, %where) = @_;
    my ($status, $out, $err) = $node->psql(
        $where{dbname} // 'postgres', $sql,
        on_error_stop => 1,
        extra_params  => [ $where{user} ? ('-U', $where{user}) : () ]);
    return fail("$name: no error") if $status == 0;
    return like($err, $pattern, $name);
}

# wait_until(CODE [, SECONDS]): true as soon as CODE is, false when it has not become so in time.
sub wait_until {
    my ($condition, $seconds) = @_;
    my $end = time + ($seconds // 60);
    while (time < $end) {
        return 1 if $condition->();
        sleep 0.02;
    }
    return 0;
}

# temporary_files(NODE): names of the temporary files there are now, parallel workers' shared ones included.
sub temporary_files {
    my ($node) = @_;
    my @folders = map { ($_, glob("$_/*.fileset")) } $node->data_dir . '/base/pgsql_tmp';
    return my @files = grep { -f } map { glob("$_/*") } @folders;
}

# backend_memory_kb(PID [, FIELD]): a line of /proc/PID/status; by default the memory that the process has to itself
# now. VmHWM: the most it has ever held, shared buffers that it has touched included.
sub backend_memory_kb {
    my ($pid, $field) = @_;
    open my $file, '<', "/proc/$pid/status" or return undef;
    my %status = map { /^(\w+):\s+(\d+) kB/ ? ($1, $2) : () } <$file>;
    return $status{ $field // 'RssAnon' };
}

# background_query(NODE, SQL, 'setting = value', ...): starts it and returns at once, when it is under way.
#   $query->pid      of its backend
#   $query->running  still at it?
#   $query->cancel   as a user does; returns the seconds until the query had ended
#   $query->finish   waits; returns (exit status of psql, output, error text)
sub background_query {
    my ($node, $sql, @settings) = @_;
    my $self = bless { node => $node, in => '', out => '', err => '' }, 'SparselinTest::Query';
    $self->{name} = sprintf 'background %d %d', $$, ++$SparselinTest::Query::number;
    my @command = (
        'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1',
        '-d', $node->connstr('postgres') . " application_name='$self->{name}'",
        (map { ('-c', "SET $_") } @settings), '-c', $sql);
    $self->{harness} = IPC::Run::start(\@command, \$self->{in}, \$self->{out}, \$self->{err});
    wait_until(sub {
        $self->{pid} = $self->state("query NOT LIKE 'SET %' AND state = 'active'", 'pid');
        return $self->{pid} || !$self->{harness}->pumpable;
    });
    BAIL_OUT("no query in the background: $self->{err}") if !$self->{pid};
    return $self;
}

package SparselinTest::Query;

use strict;
use warnings;
use Time::HiRes qw(time);

our $number = 0;

sub state {
    my ($self, $condition, $column) = @_;
    return $self->{node}->safe_psql('postgres',
        "SELECT $column FROM pg_stat_activity WHERE application_name = '$self->{name}' AND $condition "
          . "AND backend_type = 'client backend'");
}

sub pid { return $_[0]{pid} }

sub running { return $_[0]->state("state = 'active'", 'true') eq 't' }

sub cancel {
    my ($self) = @_;
    my $start = time;
    $self->{node}->safe_psql('postgres', "SELECT pg_cancel_backend($self->{pid})");
    $self->finish;
    return time - $start;
}

sub finish {
    my ($self) = @_;
    $self->{harness}->finish;
    return ($self->{harness}->result || 0, $self->{out}, $self->{err});
}

1;
