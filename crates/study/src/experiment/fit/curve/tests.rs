//! Tests of the readers of measured curves.

use super::*;

fn read(text: &str) -> Result<Vec<(u64, f64)>, String> {
    let curve = Curve::read(Path::new("curve.csv"), text);
    let message = |problems: Problems| problems.list()[0].message.clone();
    curve.map(|curve| curve.samples.iter().map(|sample| (sample.size, sample.value)).collect()).map_err(message)
}

#[test]
fn csv_units_follow_names_or_numbers() {
    let expected = Ok(vec![(64, 1.5), (1024, 2.0)]);
    assert_eq!(read("size [B], latency [us]\n64, 1.5\n1024, 2\n"), expected);
    assert_eq!(read("# mine\nbytes,latency_ns\n64,1500\n1024,2000\n"), expected);
    assert_eq!(read("size,bandwidth\n64 B,1.5 MB/s\n1 KiB,0.016 Gbit/s\n"), expected);
}

#[test]
fn perftest_output_is_read() {
    let text = " ---------\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    \
                t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n 2       1000          0.80  \
                2.50         0.84    0.85   0.02   0.90   2.50   \n 4  1000  0.81  2.1 0.86 0.87 0.02 0.9 2.5\n---\n";
    assert_eq!(read(text), Ok(vec![(2, 0.84), (4, 0.86)]));
    let text = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n \
                65536      5000             11000.0              1000.0               0.17\n 131072 5000 1 2000 3\n";
    assert_eq!(read(text), Ok(vec![(65536, 1048.576), (131072, 2097.152)]));
}

const LATENCY_HEAD: &str = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   \
    99% percentile[usec]   99.9% percentile[usec] \n";

#[test]
fn perftest_row_must_have_a_field_for_each_column() {
    let first = " 8       1000          0.80  2.50         0.84    0.85   0.02   0.90   2.50\n";
    let problem = |head: &str, row: &str| {
        let text = format!("{head}{first}{row}\n");
        Curve::read(Path::new("lat.txt"), &text).expect_err("the row does not match its head").to_string()
    };
    let text =
        problem(LATENCY_HEAD, " 16 B    1000          0.81          3.00         0.86    0.87   0.02   0.9   2.5");
    assert!(text.contains("10 fields") && text.contains("9 columns") && text.contains("lat.txt:3"), "{text}");
    assert!(text.contains("bytes, #iterations, t_min[usec], t_max[usec], t_typical[usec]"), "{text}");
    let text = problem(LATENCY_HEAD, " 16      1000          0.81          3.00");
    assert!(text.contains("4 fields") && text.contains("9 columns"), "{text}");
}

#[test]
fn csv_row_with_more_cells_than_columns_is_refused() {
    let message = read("size [B], latency [us]\n64, 1.5\n1,024, 2\n").expect_err("the row has too many cells");
    assert!(message.contains("3 fields") && message.contains("2 columns"), "{message}");
    // An empty cell after the last comma is no value.
    assert_eq!(read("size [B], latency [us]\n64, 1.5,\n128, 2\n"), Ok(vec![(64, 1.5), (128, 2.0)]));
}

#[test]
fn column_names_of_two_words_are_one_column() {
    let text =
        " #bytes        #iterations       t_avg[usec]    tps average\n 2  1000  0.84  1190476.00\n 4 1000 0.86 1\n";
    assert_eq!(read(text), Ok(vec![(2, 0.84), (4, 0.86)]));
    let text = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]   BW Port1[MB/sec]   \
                MsgRate Port1[Mpps]   BW Port2[MB/sec]   MsgRate Port2[Mpps]    CPU_Util[%]\n \
                65536 5000 11000.0 1000.0 0.17 500 0.1 500 0.1 4.5\n 131072 5000 1 2000 3 4 5 6 7 8\n";
    assert_eq!(read(text), Ok(vec![(65536, 1048.576), (131072, 2097.152)]));
}

#[test]
fn osu_output_is_read() {
    let text = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n1                       1.10\n2  1.2\n";
    assert_eq!(read(text), Ok(vec![(1, 1.1), (2, 1.2)]));
    let text = "# OSU MPI Bandwidth Test v7.3\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n1   4.5\n2  9\n";
    assert_eq!(read(text), Ok(vec![(1, 4.5), (2, 9.0)]));
    let text = "# Size       Avg Latency(us)\n1 1.5\n2 1.6\n";
    assert_eq!(read(text), Ok(vec![(1, 1.5), (2, 1.6)]));
}

const NETPERF_RR: &str = "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to h () port 0 AF_INET : \
    first burst 0\nLocal /Remote\nSocket Size   Request  Resp.   Elapsed  Trans.\nSend   Recv   Size     Size    \
    Time     Rate         \nbytes  Bytes  bytes    bytes   secs.    per sec   \n\n16384  131072 64       64       \
    10.00    20000.00   \n16384  131072 \n";

#[test]
fn netperf_output_is_read() {
    let larger = NETPERF_RR.replace("64       64 ", "128      128").replace("20000.00", "10000.00");
    assert_eq!(read(&format!("{NETPERF_RR}{larger}")), Ok(vec![(64, 25.0), (128, 50.0)]));
    let stream = |size: u64, rate: &str| {
        format!(
            "MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0 AF_INET to h () port 0 AF_INET\nRecv   Send    Send\n\
             Socket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n\
             bytes  bytes   bytes    secs.    10^6bits/sec\n\n131072  16384  {size}    10.03     {rate}\n"
        )
    };
    assert_eq!(read(&(stream(1024, "800.0") + &stream(2048, "1600"))), Ok(vec![(1024, 100.0), (2048, 200.0)]));
    let udp = |size: u64, sent: &str, received: &str| {
        format!(
            "MIGRATED UDP STREAM TEST from 0.0.0.0 () port 0 AF_INET to h () port 0 AF_INET\nSocket  Message  Elapsed\n\
             Size    Size     Time         Okay Errors   Throughput\nbytes   bytes    secs            #      #   \
             10^6bits/sec\n\n212992   {size}   10.00       82309      0    {sent}\n212992           10.00       80732\
             {received}\n\n"
        )
    };
    let log = udp(64, "90", "           80") + &udp(1024, "900", "          800");
    assert_eq!(read(&log), Ok(vec![(64, 10.0), (1024, 100.0)]), "what was received counts");
}

#[test]
fn sockperf_output_is_read() {
    let log = "$ sockperf ping-pong -i h -m 64 -t 1\nsockperf: == version #3.10 ==\nsockperf: Summary: Latency is 9.5 usec\n\
               sockperf: ---> percentile 99.000 = 12\nsockperf: ---> percentile 50.000 =    9.250\n\
               $ sockperf pp --msg-size=128 --full-rtt\nsockperf: Summary: Round trip is 24.0 usec\n";
    assert_eq!(read(log), Ok(vec![(64, 9.25), (128, 12.0)]));
    let log = "sockperf: NOTE: test was performed, using msg-size=14. For getting maximum\nsockperf: Summary: BandWidth is \
               100.000 MBps (800.000 Mbps)\nsockperf tp -m1472\nsockperf: Summary: BandWidth is 200.000 MBps (1600.000 Mbps)\n";
    assert_eq!(read(log), Ok(vec![(14, 100.0 * 1.048_576), (1472, 200.0 * 1.048_576)]));
}

#[test]
fn malformed_logs_are_reported_with_their_line() {
    let message = |text: &str| read(text).expect_err("the text is malformed");
    assert!(message(NETPERF_RR).contains("at least 2 runs"));
    assert!(message(&NETPERF_RR.replace("64       64", "64       1 ")).contains("a response of 1 B"));
    assert!(message(&NETPERF_RR.replace("10.00    20000.00", "")).contains("other columns"));
    assert!(message("sockperf: Summary: Latency is 9.5 usec\n").contains("does not state the size"));
    let two_tables = " #bytes #iterations    t_typical[usec]\n 2 1000 0.84\n 4 1000 0.86\n #bytes     #iterations    BW peak[MB/sec]\n \
               2 5000 4.2\n";
    assert!(message(two_tables).contains("a table with other columns follows"));
}

#[test]
fn malformed_curves_are_reported() {
    let message = |text: &str| read(text).expect_err("the text is malformed");
    assert!(message("size,latency\n64,1.5\n128,2\n").contains("the unit of `size` is missing"));
    assert!(message("size [B],latency\n64,1.5\n128,2\n").contains("the unit of `latency` is missing"));
    assert!(message("size [B],latency [us]\n64,1.5\n").contains("at least 2 rows"));
    assert!(message("size [B],latency [us]\n64,1.5\n64,2\n").contains("out of order"));
    assert!(message("size [B],latency [us]\n64,1.5\n128,0\n").contains("above 0"));
    assert!(message("size [B],latency [us]\n64,1.5\n128,x\n").contains("`x`"));
    assert!(message("64,1.5\n").contains("no line names the columns"));
}
