#!/bin/sh
# GLOSSARY.md has every term of the documents' own lists (334060-001 table 4-1; 323535-001 section
# 2.3.4.2 and the names of its boxes and message classes; document 002). It has the Chinese of table
# 4-1 for the translated terms.
# usage: glossary.sh SOURCE_ROOT
set -eu
cd "$1"
bad=0 n=0
for term in ARB clear CBo IA LLC MESI MSR PEBS PerfMon PMI PMU RO RW RW1C set SMT thread uop UNC \
    AD AK BL IV IRQ IPQ VIQ MAF RSPF RWRF TOR IMT TF COHQ EOT FVID QPI IOH IPI \
    HOM SNP DRS NDR NCB NCS VN0 VN1 VNA B-Box C-Box M-Box R-Box S-Box U-Box W-Box \
    DCU IFU EBL UMSK RDPMC CPL MESI 仲裁单位 英特尔架构 最后一级缓存 型号特定寄存器 \
    基于事件的精确采样 性能监视中断 性能监测单元 只读 读写 同时多线程 微操作 单元掩码; do
    n=$((n + 1))
    grep -E '^\|' GLOSSARY.md | cut -d'|' -f2,3 | tr ',|' '\n\n' | sed 's/^ *//; s/ *$//' |
        grep -qxF -- "$term" || {
        echo "GLOSSARY.md has no $term"
        bad=1
    }
done
echo "$n terms"
exit $bad
